import { holdTasksOf } from './support/held-tasks'
import { cancelTask, submitTask, uploadFile } from './support/tasks'
import { expect, test } from './support/test'

test.beforeEach(async ({ account }) => holdTasksOf(account))

const REFRESH = /<head>.*<noscript><meta http-equiv="refresh" content="3"\s*\/?><\/noscript>.*<\/head>/is

test('the page of an unfinished task shows by itself that it ended', async ({ page, context, origin }) => {
  const taskId = await submitTask(context, origin, await uploadFile(context, origin))
  await page.goto(`/tasks/${taskId}`)
  await expect(page.getByRole('heading', { level: 2, name: 'Queued' })).toBeVisible()
  await cancelTask(context, origin, taskId)
  await expect(page.getByRole('heading', { level: 2, name: 'Canceled' })).toBeVisible()
  await expect(page).toHaveTitle(/Canceled/)
  await expect(page.getByRole('status').filter({ hasText: 'Status:' })).toHaveText('Status: Canceled')
})

test('reloading without JavaScript can be stopped and begun again, and ends with the task', async ({
  page,
  context,
  origin,
  javaScriptEnabled,
}) => {
  const taskId = await submitTask(context, origin, await uploadFile(context, origin))
  const pageOf = async (path: string) => (await context.request.get(`${origin}${path}`)).text()
  expect(await pageOf(`/tasks/${taskId}`)).toMatch(REFRESH)
  expect(await pageOf(`/tasks/${taskId}?refresh=off`)).not.toMatch(REFRESH)

  await page.goto(`/tasks/${taskId}`)
  if (javaScriptEnabled) {
    await expect(page.getByRole('link', { name: 'Stop reloading' })).toHaveCount(0)
  } else {
    await page.getByRole('link', { name: 'Stop reloading' }).click()
    await expect(page).toHaveURL(`/tasks/${taskId}?refresh=off`)
    await page.getByRole('link', { name: 'Reload it by itself' }).click()
    await expect(page).toHaveURL(`/tasks/${taskId}`)
  }
  await cancelTask(context, origin, taskId)
  expect(await pageOf(`/tasks/${taskId}`)).not.toMatch(REFRESH)
})
