import { holdTasksOf } from './support/held-tasks'
import { cancelTask, submitTask, uploadFile } from './support/tasks'
import { expect, test } from './support/test'

test.beforeEach(async ({ account }) => holdTasksOf(account))

test('news come without a reload, and a lost connection only pauses them', async ({
  page,
  context,
  origin,
  expectedConsoleErrors,
}) => {
  expectedConsoleErrors.push(/ERR_FAILED/)
  const taskId = await submitTask(context, origin, await uploadFile(context, origin))
  await page.goto(`/tasks/${taskId}`)
  await page.evaluate(() => Object.assign(window, { same: true }))

  await page.route('**/status', (route) => route.abort())
  const again = page.getByRole('button', { name: 'Check again' })
  await expect(again).toBeVisible()
  await expect(page.getByRole('heading', { level: 2, name: 'Queued' })).toBeVisible()
  await page.unroute('**/status')
  await cancelTask(context, origin, taskId)
  await again.click()
  await expect(page.getByRole('heading', { level: 2, name: 'Canceled' })).toBeVisible()
  await expect(again).toHaveCount(0)
  expect(await page.evaluate(() => 'same' in window)).toBe(true)
})

test('the list shows news by itself', async ({ page, context, origin }) => {
  const taskId = await submitTask(context, origin, await uploadFile(context, origin))
  await page.goto('/tasks')
  await expect(page.getByRole('link', { name: /notes\.txt\s*Queued/ })).toBeVisible()
  await cancelTask(context, origin, taskId)
  await expect(page.getByRole('link', { name: /notes\.txt\s*Canceled/ })).toBeVisible()
})
