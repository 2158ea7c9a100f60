import type { Page } from '@playwright/test'
import { holdTasksOf } from './support/held-tasks'
import { submitTask, taskIds, uploadFile } from './support/tasks'
import { expect, test } from './support/test'

const TASK_PAGE = /\/tasks\/[0-9a-f-]{36}$/

/** An account with four active tasks, and a fifth form open. */
let fileId: string
test.beforeEach(async ({ page, context, origin, account }) => {
  fileId = await uploadFile(context, origin)
  await holdTasksOf(account)
  for (let count = 0; count < 4; count += 1) await submitTask(context, origin, fileId)
  await page.goto(`/tasks/new?fileId=${fileId}`)
  await expect(page).toHaveURL(/key=/)
})

const send = (page: Page) => page.getByRole('button', { name: 'Start the task' })

test('a double click is one task', async ({ page, context, origin }) => {
  await send(page).dblclick()
  await expect(page).toHaveURL(TASK_PAGE)
  await expect(page.getByRole('heading', { level: 2, name: 'Queued' })).toBeVisible()
  expect(await taskIds(context, origin)).toHaveLength(5)
})

test('going back and sending again leads to the same task', async ({ page, context, origin }) => {
  await page.getByLabel('Remove spaces and tabs').check()
  await send(page).click()
  await expect(page).toHaveURL(TASK_PAGE)
  const task = page.url()
  await page.goBack()
  await expect(page).toHaveURL(/\/tasks\/new\?/)
  await page.getByLabel('Remove spaces and tabs').check()
  await send(page).click()
  await expect(page).toHaveURL(task)
  await page.goBack()
  await page.reload()
  await page.getByLabel('Remove spaces and tabs').check()
  await send(page).click()
  await expect(page).toHaveURL(task)
  expect(await taskIds(context, origin)).toHaveLength(5)
})

test('two tabs at once are one task', async ({ page, context, origin }) => {
  const other = await context.newPage()
  await other.goto(page.url())
  await Promise.all([send(page).click(), send(other).click()])
  await expect(page).toHaveURL(TASK_PAGE)
  await expect(other).toHaveURL(page.url())
  expect(await taskIds(context, origin)).toHaveLength(5)
})

test('an answer that was lost keeps the inputs, and sending them again finds the task', async ({
  page,
  context,
  origin,
  javaScriptEnabled,
  expectedConsoleErrors,
}) => {
  expectedConsoleErrors.push(/ERR_FAILED/)
  await page.getByLabel('Remove spaces and tabs').check()
  await page.route('**/tasks/new*', async (route) => {
    if (route.request().method() === 'POST') await route.fetch({ maxRedirects: 0 })
    await route.abort()
  })
  await send(page).click()
  await expect.poll(() => taskIds(context, origin)).toHaveLength(5)
  const [stored] = await taskIds(context, origin)
  if (javaScriptEnabled) {
    await expect(page.getByRole('alert')).toContainText('Your inputs are kept')
    await expect(page.getByLabel('Remove spaces and tabs')).toBeChecked()
    await expect(page.getByLabel('File')).toHaveValue(fileId)
  }
  await page.unroute('**/tasks/new*')

  // Without JavaScript the browser has its own page for that, and sends the form again when that is reloaded.
  if (javaScriptEnabled) await send(page).click()
  else await page.reload()
  await expect(page).toHaveURL(`/tasks/${stored}`)
  expect(await taskIds(context, origin)).toHaveLength(5)
})

test('a sixth task is refused, and the form stays as it was filled in', async ({
  page,
  context,
  origin,
  expectedConsoleErrors,
}) => {
  expectedConsoleErrors.push(/status of 409/)
  await submitTask(context, origin, fileId)
  await page.getByLabel('Remove spaces and tabs').check()
  await send(page).click()
  await expect(page.getByRole('alert')).toContainText('as many unfinished tasks as this site allows')
  await expect(page.getByRole('alert')).toBeFocused()
  await expect(page.getByLabel('Remove spaces and tabs')).toBeChecked()
  await expect(page.getByLabel('File')).toHaveValue(fileId)
  expect(await taskIds(context, origin)).toHaveLength(5)
})

test('the same form with another file is a conflict that keeps the inputs under a fresh key', async ({
  page,
  context,
  origin,
  expectedConsoleErrors,
}) => {
  expectedConsoleErrors.push(/status of 409/)
  const otherFile = await uploadFile(context, origin, { name: 'other.txt' })
  await page.goto(page.url())
  await send(page).click()
  await expect(page).toHaveURL(TASK_PAGE)
  const earlier = page.url()

  await page.goBack()
  await page.getByLabel('File').selectOption(otherFile)
  await page.getByLabel('Remove spaces and tabs').check()
  await send(page).click()
  await expect(page.getByRole('alert')).toContainText('already sent with other inputs')
  await expect(page.getByLabel('File')).toHaveValue(otherFile)
  await expect(page.getByLabel('Remove spaces and tabs')).toBeChecked()

  // The fifth is the earlier one: it makes room.
  await page.getByRole('link', { name: 'Look at the earlier task' }).click()
  await expect(page).toHaveURL(earlier)
  await page.locator('summary', { hasText: 'Cancel this task' }).click()
  await page.getByRole('button', { name: 'Cancel the task' }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'Canceled' })).toBeVisible()
})
