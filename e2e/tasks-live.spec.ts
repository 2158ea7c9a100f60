import { holdTasksOf } from './support/held-tasks'
import { cancelTask, expectStatus, submitTask, uploadFile } from './support/tasks'
import { expect, test } from './support/test'

test.beforeEach(() => test.slow())

test('what is new waits for a press, what is chosen stays chosen, and changes are heard', async ({
  page,
  context,
  origin,
  account,
}) => {
  await holdTasksOf(account)
  const fileOf = (name: string) => uploadFile(context, origin, { name })
  const first = await submitTask(context, origin, await fileOf('first.txt'))
  const second = await submitTask(context, origin, await fileOf('second.txt'))
  for (const taskId of [first, second]) await expectStatus(context, origin, taskId, 'queued')
  await page.goto('/tasks')
  const box = page.getByLabel('Choose first.txt')
  await box.check()
  const before = await box.boundingBox()

  await submitTask(context, origin, await fileOf('third.txt'))
  await submitTask(context, origin, await fileOf('fourth.txt'))
  await cancelTask(context, origin, second)
  const news = page.getByRole('button', { name: 'Show 2 new' })
  await expect(news).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'second.txt: Canceled.' })).toBeAttached()
  await expect(box).toBeChecked()
  expect(await box.boundingBox()).toEqual(before)
  await expect(page.getByRole('link', { name: /third\.txt/ })).toHaveCount(0)

  await news.click()
  await expect(page.getByRole('link', { name: /fourth\.txt/ })).toBeVisible()
  await expect(page.getByRole('link', { name: /third\.txt/ })).toBeVisible()
  await expect(box).toBeChecked()
  await expect(news).toHaveCount(0)
})

test('while nothing changes, the list asks for the tag alone and gets nothing', async ({
  page,
  context,
  origin,
  account,
}) => {
  await holdTasksOf(account)
  const taskId = await submitTask(context, origin, await uploadFile(context, origin))
  await expectStatus(context, origin, taskId, 'queued')
  const asked: string[] = []
  page.on('response', (response) => {
    if (/\/(api\/)?tasks(\.data)?(\?|$)/.test(response.url()))
      asked.push(`${response.status()} ${response.url()}`)
  })
  await page.goto('/tasks')
  await expect.poll(() => asked.length, { timeout: 15_000 }).toBeGreaterThan(2)
  expect(asked.slice(1)).toEqual(asked.slice(1).map(() => `304 ${origin}/api/tasks`))
})

test('a session that ended in another tab leads to signing in, and back', async ({
  page,
  context,
  origin,
  account,
  expectedConsoleErrors,
}) => {
  expectedConsoleErrors.push(/status of 401/)
  await holdTasksOf(account)
  const taskId = await submitTask(context, origin, await uploadFile(context, origin))
  await page.goto(`/tasks/${taskId}`)
  const other = await context.newPage()
  await other.goto('/tasks')
  await other.getByRole('button', { name: 'Log out' }).click()
  await other.waitForURL(`${origin}/`)
  await expect(page).toHaveURL(/\/login\?redirectTo=/)
  await page.getByLabel('E-mail').fill(account.email)
  await page.getByLabel('Password').fill(account.password)
  await page.getByRole('main').getByRole('button', { name: 'Log in' }).click()
  await expect(page).toHaveURL(`/tasks/${taskId}`)
})
