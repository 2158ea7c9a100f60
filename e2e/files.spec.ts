import { readFile } from 'node:fs/promises'
import { unzipSync } from 'fflate'
import type { Page } from '@playwright/test'
import { holdTasksOf } from './support/held-tasks'
import { checkPage } from './support/page-check'
import { submitTask, uploadFile } from './support/tasks'
import { expect, test } from './support/test'

/** Both themes are looked at, one at each width. */
test.beforeEach(async ({ page, viewport }) => {
  test.slow()
  await page.emulateMedia({ colorScheme: viewport?.width === 320 ? 'light' : 'dark' })
})

const rowOf = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })
const choose = (page: Page, name: string) => rowOf(page, name).getByRole('checkbox').check()

test('the list is searched by name, and its rows lead to the files', async ({
  page,
  context,
  origin,
  account,
  javaScriptEnabled: axe,
}) => {
  expect(account.email).toContain('@')
  for (const name of ['Überblick.txt', '100% sure.txt', 'other.txt'])
    await uploadFile(context, origin, { name })
  await page.goto('/files')
  await checkPage(page, { axe })
  await page.getByRole('searchbox').fill('überBLICK')
  await page.getByRole('button', { name: 'Search' }).click()
  await expect(page.getByRole('checkbox')).toHaveCount(1)
  await expect(page.getByRole('searchbox')).toHaveValue('überBLICK')
  await checkPage(page, { axe })
  await page.getByRole('link', { name: /^Überblick\.txt/ }).click()
  // With JavaScript its preview comes first.
  if (axe) await page.getByRole('link', { name: 'Open its page' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Überblick.txt' })).toBeVisible()

  await page.goto('/files?q=%25%25')
  await expect(page.getByRole('heading', { name: 'No file has this in its name' })).toBeVisible()
  await checkPage(page, { axe })
  await page.getByRole('link', { name: 'Show all files' }).click()
  await expect(page.getByRole('checkbox')).toHaveCount(3)
})

test('a row is as large as a finger, and wholly the link', async ({ page, context, origin, account }) => {
  expect(account.email).toContain('@')
  await uploadFile(context, origin, { name: 'notes.txt' })
  await page.goto('/files')
  const row = rowOf(page, 'notes.txt')
  for (const part of [
    row.locator('label'),
    row.getByRole('link', { name: /^notes/ }),
    row.getByRole('link').last(),
  ]) {
    const box = await part.boundingBox()
    expect(box?.height).toBeGreaterThanOrEqual(44)
    expect(box?.width).toBeGreaterThanOrEqual(44)
  }
})

test('a file that fits is previewed whole, with what can’t be seen made visible', async ({
  page,
  context,
  origin,
  account,
  javaScriptEnabled: axe,
}) => {
  expect(account.email).toContain('@')
  const content = Buffer.concat([
    Buffer.from('one\r\n\ttwo\u202e\0\n<b>three</b>\n'),
    Buffer.of(0xff, 0xfe, 0x0a),
    Buffer.from('W'.repeat(500)),
  ])
  const fileId = await uploadFile(context, origin, { name: 'annual\u202etxt.exe.txt', content })
  await page.goto(`/files/${fileId}`)
  await expect(page.getByRole('heading', { level: 1, name: 'annual⟨U+202E⟩txt.exe.txt' })).toBeVisible()
  const shown = page.getByRole('region', { name: 'Preview' })
  expect(await shown.locator('pre').textContent()).toBe(
    `one\n\ttwo⟨U+202E⟩␀\n<b>three</b>\n⟨FF FE⟩\n${'W'.repeat(500)}`,
  )
  await expect(shown).toContainText('2 bytes are no text')
  await expect(shown).toContainText('Line ends: 1 × CR LF, 3 × LF.')
  await expect(shown).not.toContainText('Only the first')
  await checkPage(page, { axe })
})

test('a large file’s preview says that it is cut, and offers the download', async ({
  page,
  context,
  origin,
  account,
  javaScriptEnabled: axe,
}) => {
  expect(account.email).toContain('@')
  const content = Buffer.from(`x${'六'.repeat(200_000)}`)
  const fileId = await uploadFile(context, origin, { name: 'large.txt', content })
  await page.goto(`/files/${fileId}`)
  await expect(page.getByText('Only the first 64 kB of 586 kB are shown here.')).toBeVisible()
  expect(await page.locator('pre').textContent()).toBe(`x${'六'.repeat(21_845)}`)
  await checkPage(page, { axe })
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download all 586 kB' }).click()
  expect((await readFile(await (await downloading).path())).equals(content)).toBe(true)
})

test('a file is deleted once the person has confirmed it', async ({ page, context, origin, account }) => {
  expect(account.email).toContain('@')
  const fileId = await uploadFile(context, origin, { name: 'notes.txt' })
  await page.goto(`/files/${fileId}`)
  await page.getByText('Delete this file').click()
  await page.getByRole('button', { name: 'Delete the file' }).click()
  await expect(page).toHaveURL(/\/files$/)
  await expect(page.getByRole('heading', { name: 'No files yet' })).toBeVisible()
})

test('a file that a task has begun to need is not deleted, and the refusal leads to the task', async ({
  page,
  context,
  origin,
  account,
  expectedConsoleErrors,
  javaScriptEnabled: axe,
}) => {
  expectedConsoleErrors.push(/status of 409/)
  await holdTasksOf(account)
  const fileId = await uploadFile(context, origin, { name: 'notes.txt' })
  await page.goto(`/files/${fileId}`)
  const taskId = await submitTask(context, origin, fileId)
  await page.getByText('Delete this file').click()
  await page.getByRole('button', { name: 'Delete the file' }).click()
  const refusal = page.getByRole('alert')
  await expect(refusal).toContainText('An unfinished task needs this file, so it wasn’t deleted.')
  await checkPage(page, { axe })
  await refusal.getByRole('link', { name: /of notes\.txt/ }).click()
  await expect(page).toHaveURL(new RegExp(`/tasks/${taskId}`))

  await page.goto(`/files/${fileId}`)
  await expect(page.getByText('Delete this file')).toBeHidden()
  await page.getByRole('link', { name: 'The task that needs it' }).click()
  await expect(page).toHaveURL(new RegExp(`/tasks/${taskId}`))
})

test('several files are deleted after one question, each with its own outcome', async ({
  page,
  context,
  origin,
  account,
  expectedConsoleErrors,
  javaScriptEnabled: axe,
}) => {
  expectedConsoleErrors.push(/status of 409/)
  await holdTasksOf(account)
  const files: Record<string, string> = {}
  for (const name of ['first.txt', 'second.txt', 'kept.txt']) {
    files[name] = await uploadFile(context, origin, { name })
  }
  await page.goto('/files')
  await expect(page.getByRole('button', { name: 'Delete' })).toBeHidden()
  await choose(page, 'first.txt')
  await choose(page, 'second.txt')
  await page.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('heading', { name: 'Delete 2 files?' })).toBeVisible()
  await expect(page.getByRole('listitem').filter({ hasText: '.txt' })).toHaveText([
    /second\.txt/,
    /first\.txt/,
  ])
  await checkPage(page, { axe })

  const taskId = await submitTask(context, origin, files['second.txt'] ?? '')
  await page.getByRole('button', { name: 'Delete 2 files' }).click()
  const outcome = page.getByRole('alert')
  await expect(outcome).toContainText('1 of 2 files were deleted.')
  await expect(outcome.getByRole('listitem')).toHaveText([
    /^second\.txt: An unfinished task needs this file/,
    /^first\.txt: deleted\./,
  ])
  await expect(outcome.getByRole('link')).toHaveAttribute('href', `/tasks/${taskId}`)
  await expect(page.getByRole('checkbox')).toHaveCount(2)
  await checkPage(page, { axe })

  await choose(page, 'kept.txt')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete 1 file' }).click()
  await expect(page).toHaveURL(/\/files$/)
  await expect(page.getByRole('checkbox')).toHaveCount(1)
})

test('several files are downloaded as one ZIP', async ({ page, context, origin, account }) => {
  expect(account.email).toContain('@')
  const large = Buffer.alloc(500_000, 'line of text\n')
  await uploadFile(context, origin, { name: 'notes.txt', content: 'one\r\n' })
  await uploadFile(context, origin, { name: 'notes.txt', content: large })
  await uploadFile(context, origin, { name: 'left out.txt' })
  await page.goto('/files')
  for (const box of await rowOf(page, 'notes.txt').getByRole('checkbox').all()) await box.check()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download ZIP' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('files.zip')
  const entries = unzipSync(new Uint8Array(await readFile(await download.path())))
  expect(Object.keys(entries)).toEqual(['notes.txt', 'notes (2).txt'])
  expect(Buffer.from(entries['notes.txt'] ?? []).equals(large)).toBe(true)
  expect(Buffer.from(entries['notes (2).txt'] ?? []).toString()).toBe('one\r\n')
})
