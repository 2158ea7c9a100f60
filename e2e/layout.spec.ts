import type { BrowserContext, Page } from '@playwright/test'
import type { Account } from './support/account'
import { holdTasksOf, pretendRunning, pretendUndeliverable } from './support/held-tasks'
import { checkPage } from './support/page-check'
import { cancelTask, expectStatus, submitTask, uploadFile } from './support/tasks'
import { expect, test } from './support/test'

const HOSTILE_NAMES = [
  `${'Unbreakable'.repeat(18)}.txt`,
  '<script>alert("1")</script>&amp;.txt',
  'annual\u202Etxt.exe\u200B.txt',
  `${'W'.repeat(55)}.txt`,
  'عربي עברית 漢字 🧑‍🚀🧑‍🚀🧑‍🚀.txt',
]

// Both themes are looked at, one at each width.
test.beforeEach(async ({ page, viewport }) => {
  await page.emulateMedia({ colorScheme: viewport?.width === 320 ? 'light' : 'dark' })
})

async function look(page: Page, path: string, { status = 200, axe }: { status?: number; axe: boolean }) {
  const response = await page.goto(path)
  expect([path, response?.status()]).toEqual([path, status])
  await checkPage(page, { axe })
}

test('pages of a visitor fit and have no barrier', async ({
  page,
  javaScriptEnabled: axe,
  expectedConsoleErrors,
}) => {
  test.slow()
  expectedConsoleErrors.push(/status of 404/)
  for (const path of [
    '/',
    '/signup',
    '/login',
    '/login?redirectTo=/files',
    '/login?after=reset',
    '/forgot-password',
  ])
    await look(page, path, { axe })
  await look(page, '/reset-password?token=none', { axe })
  await look(page, '/nowhere', { status: 404, axe })
})

test('empty pages fit and have no barrier', async ({
  page,
  account,
  javaScriptEnabled: axe,
  expectedConsoleErrors,
}) => {
  test.slow()
  expectedConsoleErrors.push(/status of 404/)
  expect(account.email).toContain('@')
  for (const path of ['/', '/files', '/tasks', '/tasks?status=failed', '/tasks/new'])
    await look(page, path, { axe })
  await look(page, '/tasks/00000000-0000-4000-8000-000000000000', { status: 404, axe })
})

test.describe('filled', () => {
  test('lists and forms fit and have no barrier', async ({
    page,
    context,
    origin,
    account,
    javaScriptEnabled: axe,
  }) => {
    test.slow()
    const files = await uploadHostileFiles(context, origin)
    await makeTasks(context, origin, account, files)
    for (const path of ['/files', '/tasks', '/tasks/new']) await look(page, path, { axe })
    await page.goto('/files')
    for (const box of await page.getByRole('checkbox').all()) await box.check()
    await checkPage(page, { axe })
    await page.goto('/tasks')
    if ((page.viewportSize()?.width ?? 0) < 1024) await page.locator('summary', { hasText: 'Show:' }).click()
    await checkPage(page, { axe })
  })

  test('a file’s page fits and has no barrier, whatever the file is called', async ({
    page,
    context,
    origin,
    account,
    javaScriptEnabled: axe,
  }) => {
    test.slow()
    expect(account.email).toContain('@')
    for (const fileId of await uploadHostileFiles(context, origin)) {
      await page.goto(`/files/${fileId}`)
      await checkPage(page, { axe })
    }
  })

  test('a task in every state fits and has no barrier', async ({
    page,
    context,
    origin,
    account,
    javaScriptEnabled: axe,
  }) => {
    test.slow()
    const files = await uploadHostileFiles(context, origin)
    const tasks = await makeTasks(context, origin, account, files)
    for (const [heading, taskId] of Object.entries(tasks)) {
      await page.goto(`/tasks/${taskId}`)
      await expect(page.getByRole('heading', { level: 2, name: heading })).toBeVisible()
      await checkPage(page, { axe })
    }
    await page.goto(`/tasks/${tasks['Queued']}?refresh=off`)
    await page.locator('summary', { hasText: 'Cancel this task' }).click()
    await checkPage(page, { axe })
  })
})

async function uploadHostileFiles(context: BrowserContext, origin: string): Promise<string[]> {
  const files: string[] = []
  for (const name of HOSTILE_NAMES) files.push(await uploadFile(context, origin, { name }))
  return files
}

/** One task in each state, by the heading that its page shows. */
async function makeTasks(context: BrowserContext, origin: string, account: Account, files: string[]) {
  const fileOf = (index: number) => files[index % files.length] ?? ''
  const notText = await uploadFile(context, origin, {
    content: Buffer.from([0x61, 0xff]),
    name: HOSTILE_NAMES[0],
  })
  const done = await submitTask(context, origin, fileOf(0))
  const failed = await submitTask(context, origin, notText)
  await expectStatus(context, origin, done, 'succeeded')
  await expectStatus(context, origin, failed, 'failed')

  await holdTasksOf(account)
  const [undelivered = '', canceled = '', running = '', queued = ''] = await Promise.all(
    [1, 2, 3, 4].map((index) => submitTask(context, origin, fileOf(index))),
  )
  for (const taskId of [undelivered, canceled, running, queued]) {
    await expectStatus(context, origin, taskId, 'queued')
  }
  await pretendUndeliverable(undelivered)
  await cancelTask(context, origin, canceled)
  await pretendRunning(running)
  return { Done: done, Failed: failed, Canceled: canceled, Running: running, Queued: queued }
}
