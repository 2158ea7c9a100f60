import type { Page } from '@playwright/test'
import { holdTasksOf, pretendRunning, pretendUndeliverable } from './support/held-tasks'
import { checkPage } from './support/page-check'
import { cancelTask, expectStatus, submitTask, uploadFile } from './support/tasks'
import { expect, test } from './support/test'

test.beforeEach(async ({ page, viewport }) => {
  test.slow()
  await page.emulateMedia({ colorScheme: viewport?.width === 390 ? 'dark' : 'light' })
})

const row = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })

test('several tasks are cancelled and retried at once, and the page says what became of each', async ({
  page,
  context,
  origin,
  account,
  javaScriptEnabled: axe,
}) => {
  await holdTasksOf(account)
  const names = ['waiting.txt', 'running.txt', 'stuck.txt', 'other.txt']
  const ids: string[] = []
  for (const name of names) {
    const taskId = await submitTask(context, origin, await uploadFile(context, origin, { name }))
    await expectStatus(context, origin, taskId, 'queued')
    ids.push(taskId)
  }
  const [waiting = '', running = '', stuck = '', other = ''] = ids
  await pretendRunning(running)
  await pretendUndeliverable(stuck)
  await pretendUndeliverable(other)
  // With these, there is room for one of the two that failed.
  const fileId = await uploadFile(context, origin)
  for (let count = 0; count < 2; count += 1) await submitTask(context, origin, fileId)

  await page.goto('/tasks')
  const attention = page.getByRole('region', { name: 'Needs your attention' })
  await expect(attention.getByRole('listitem')).toHaveCount(2)
  await checkPage(page, { axe })
  const retry = page.getByRole('button', { name: 'Retry' })
  const cancel = page.locator('summary', { hasText: 'Cancel …' })
  await expect(retry).toBeHidden()

  await page.getByLabel('Choose stuck.txt').check()
  await expect(retry).toBeVisible()
  await expect(cancel).toBeHidden()
  await page.getByLabel('Choose waiting.txt').check()
  await expect(cancel).toBeVisible()
  await checkPage(page, { axe })
  await page.getByLabel('Choose waiting.txt').uncheck()
  await page.getByLabel('Choose other.txt').check()
  if (axe) await expect(page.getByText('2 tasks chosen')).toBeVisible()
  await retry.click()
  await expect(page).toHaveURL(/\/tasks\?/)
  await expect(page.getByRole('main')).toContainText('Retrying 2 tasks: 1 done, 1 not.')
  await expect(page.getByRole('alert')).toContainText('other.txt: Starts again.')
  await checkPage(page, { axe })
  await page.reload()
  await expect(page.getByRole('alert')).toContainText('stuck.txt: You already have as many')

  await page.goto('/tasks')
  await expect(attention.getByRole('listitem')).toHaveText(/stuck\.txt/)
  await page.getByLabel('Choose waiting.txt').check()
  await page.getByLabel('Choose running.txt').check()
  await cancelTask(context, origin, waiting)
  await cancel.click()
  await page.getByRole('button', { name: 'Cancel the chosen tasks' }).click()
  await expect(page.getByRole('main')).toContainText('Cancelling 2 tasks: done.')
  await expect(page.getByRole('main')).toContainText('waiting.txt: It had ended before.')
  await expect(page.getByRole('main')).toContainText('running.txt: Asked to stop.')
  await expectStatus(context, origin, stuck, 'failed')
})

test('filters are links with counts, and lead back to all tasks', async ({
  page,
  context,
  origin,
  account,
  javaScriptEnabled: axe,
  viewport,
}) => {
  await holdTasksOf(account)
  const fileId = await uploadFile(context, origin)
  const canceled = await submitTask(context, origin, fileId)
  await cancelTask(context, origin, canceled)
  await submitTask(context, origin, fileId)
  await page.goto('/tasks')
  const narrow = (viewport?.width ?? 0) < 1024
  const filter = async (name: RegExp) => {
    if (narrow) await page.locator('summary', { hasText: 'Show:' }).click()
    await page.getByRole('navigation', { name: 'Tasks by status' }).getByRole('link', { name }).click()
  }
  await filter(/^Canceled\s*1$/)
  await expect(page).toHaveURL('/tasks?status=canceled')
  await expect(page.getByRole('region', { name: 'Tasks: Canceled' }).getByRole('listitem')).toHaveCount(1)
  await checkPage(page, { axe })
  await filter(/^Failed\s*0$/)
  await page.getByRole('link', { name: 'Show all tasks' }).click()
  await expect(page.getByRole('region', { name: 'All tasks' }).getByRole('listitem')).toHaveCount(2)
})

test('a row is two lines high, and the whole of it leads to its task', async ({
  page,
  context,
  origin,
  account,
  javaScriptEnabled,
}) => {
  test.skip(!javaScriptEnabled, 'without a script times are longer, and may have a line of their own')
  await holdTasksOf(account)
  const taskId = await submitTask(context, origin, await uploadFile(context, origin, { name: 'a-name.txt' }))
  await expectStatus(context, origin, taskId, 'queued')
  await page.goto('/tasks')
  const link = row(page, 'a-name.txt').getByRole('link')
  expect((await link.boundingBox())?.height).toBeLessThan(75)
  await link.click({ position: { x: 5, y: 5 } })
  await expect(page).toHaveURL(`/tasks/${taskId}`)
})

test('a task that failed because of its file says so and offers another file', async ({
  page,
  context,
  origin,
  account,
  javaScriptEnabled: axe,
}) => {
  expect(account.email).toContain('@')
  const fileId = await uploadFile(context, origin, { content: Buffer.from([0x61, 0xff]) })
  const taskId = await submitTask(context, origin, fileId)
  await expectStatus(context, origin, taskId, 'failed')
  await page.goto(`/tasks/${taskId}`)
  await expect(page.getByRole('link', { name: 'Start with another file' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Start again' })).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'What happened' })).toContainText('Attempt 1: failed')
  await checkPage(page, { axe })
})
