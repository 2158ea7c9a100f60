import { truncateSync, writeFileSync } from 'node:fs'
import type { BrowserContext, Locator, Page, TestInfo } from '@playwright/test'
import { expectNoOverflow } from './support/overflow'
import { checkPage } from './support/page-check'
import { expect, test } from './support/test'

const MIB = 1024 * 1024

const file = (name: string, content = 'text\n') => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(content),
})

/** A file on disk, which needn't go through the test's own connection to the browser. Zeros are text to the site. */
function fileOnDisk(testInfo: TestInfo, name: string, bytes = 5): string {
  const path = testInfo.outputPath(name)
  writeFileSync(path, 'text\n')
  truncateSync(path, bytes)
  return path
}

test.beforeEach(async ({ page, account }) => {
  expect(account.email).toContain('@')
  await page.goto('/files')
  // The hint is there before the script; the region that it fills tells nothing yet.
  await expect(page.getByText('You can also drop files here')).toBeVisible()
  await page.waitForFunction(() => '__remixRouter' in window)
})

const input = (page: Page) => page.getByLabel('Add files')
const send = (page: Page) => page.getByRole('button', { name: /^Upload/ })
const cancel = (page: Page) => page.getByRole('button', { name: 'Cancel' })
const chosen = (page: Page) => page.getByRole('list', { name: 'Chosen files' }).getByRole('listitem')
const kept = (page: Page) => page.getByRole('region', { name: 'Your files' }).getByRole('listitem')
const bar = (page: Page) => page.getByRole('progressbar', { name: 'Upload' })
const said = (page: Page) =>
  page
    .locator('form')
    .filter({ has: input(page) })
    .getByRole('status')

/** From now on bytes leave the browser this fast; answers how to end that. */
async function slowDown(context: BrowserContext, page: Page, bytesPerSecond: number) {
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond,
  })
  return () => session.detach()
}

/** The next upload reaches the site and is stored, but its answer gets lost. Resolves once that has happened. */
async function loseAnswer(context: BrowserContext, page: Page) {
  const session = await context.newCDPSession(page)
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*/api/files', requestStage: 'Response' }] })
  return new Promise<void>((resolve) => {
    session.once('Fetch.requestPaused', ({ requestId }) => {
      void session
        .send('Fetch.failRequest', { requestId, errorReason: 'ConnectionClosed' })
        .then(() => session.detach())
        .then(resolve)
    })
  })
}

async function give(page: Page, event: 'drop' | 'paste', contents: { files?: string[]; text?: string }) {
  const target = event === 'drop' ? send(page) : page.locator('body')
  const prevented = await target.evaluate(
    (element, { event, files = [], text }) => {
      const data = new DataTransfer()
      for (const name of files) data.items.add(new File([`of ${name}`], name, { type: 'text/plain' }))
      if (text) data.setData('text/plain', text)
      const options = { bubbles: true, cancelable: true }
      const dropping = { ...options, dataTransfer: data }
      const given =
        event === 'drop'
          ? new DragEvent('drop', dropping)
          : new ClipboardEvent('paste', { ...options, clipboardData: data })
      if (event === 'drop') element.dispatchEvent(new DragEvent('dragover', dropping))
      return !element.dispatchEvent(given)
    },
    { event, ...contents },
  )
  expect(prevented).toBe(true)
}

const top = async (place: Locator) => (await place.boundingBox())?.y

test('what is chosen is shown, can be taken back and is sent without leaving the page', async ({ page }) => {
  await page.evaluate(() => Object.assign(window, { same: true }))
  await input(page).setInputFiles([file('one.txt'), file('two.txt'), file('three.txt')])
  await expect(chosen(page)).toHaveText([/one\.txt/, /two\.txt/, /three\.txt/])
  await page.getByRole('button', { name: 'Remove two.txt' }).press('Enter')
  await expect(input(page)).toBeFocused()
  await expect(chosen(page)).toHaveText([/one\.txt/, /three\.txt/])

  await send(page).press('Enter')
  await expect(kept(page).filter({ hasText: /one\.txt|three\.txt/ })).toHaveCount(2)
  await expect(kept(page)).toHaveCount(2)
  await expect(said(page)).toHaveText('2 files were kept.')
  await expect(chosen(page)).toHaveCount(0)
  await expect(send(page)).toBeFocused()
  expect(await input(page).evaluate((element: HTMLInputElement) => element.files?.length)).toBe(0)
  expect(await page.evaluate(() => 'same' in window)).toBe(true)

  // The next choice is another upload.
  await input(page).setInputFiles(file('four.txt'))
  await send(page).click()
  await expect(kept(page)).toHaveCount(3)
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('sending shows how many bytes have left, moves nothing, and can be canceled with the choice kept', async ({
  page,
  context,
}, testInfo) => {
  test.slow()
  await input(page).setInputFiles(fileOnDisk(testInfo, 'large.txt', 4 * MIB))
  const before = await top(send(page))
  const speedUp = await slowDown(context, page, 128 * 1024)
  await send(page).click()
  const value = () => bar(page).evaluate((element: HTMLProgressElement) => element.value)
  await expect.poll(value).toBeGreaterThan(0)
  const [early, total] = [
    await value(),
    await bar(page).evaluate((element: HTMLProgressElement) => element.max),
  ]
  expect(total).toBeGreaterThan(4 * MIB)
  expect(early).toBeLessThan(total)
  await expect.poll(value).toBeGreaterThan(early)
  await expect(page.getByText(/B of 4(\.\d)? MB sent/)).toBeVisible()
  await expect(said(page)).toHaveText(/Uploading/)
  expect(await top(send(page))).toBe(before)
  await checkPage(page, { axe: true })

  const lookedAgain = page.waitForResponse(/\/files\.data/)
  await cancel(page).press('Enter')
  await expect(bar(page)).toHaveCount(0)
  await expect(cancel(page)).toHaveCount(0)
  await expect(said(page)).toHaveText(/canceled.*kept/)
  await expect(send(page)).toBeFocused()
  expect(await top(send(page))).toBe(before)
  await expect(chosen(page)).toHaveText([/large\.txt/])
  await expect(kept(page)).toHaveCount(0)

  await lookedAgain
  await speedUp()
  await send(page).click()
  await expect(kept(page)).toHaveText([/large\.txt/])
})

test('a double click uploads once', async ({ page }) => {
  await input(page).setInputFiles(file('once.txt'))
  await send(page).dblclick()
  await expect(kept(page)).toHaveText([/once\.txt/])
  await page.reload()
  await expect(kept(page)).toHaveCount(1)
})

test('files that are dropped anywhere on the form join what is chosen', async ({ page }) => {
  await input(page).setInputFiles(file('chosen.txt'))
  await give(page, 'drop', { files: ['dropped.txt', 'second.txt'] })
  await expect(chosen(page)).toHaveText([/chosen\.txt/, /dropped\.txt/, /second\.txt/])
  await expect(said(page)).toHaveText('2 files were dropped. 3 files are chosen.')
  await send(page).click()
  await expect(kept(page)).toHaveCount(3)
})

test('pasted files and pasted text join what is chosen, and typing elsewhere is left alone', async ({
  page,
}) => {
  await give(page, 'paste', { files: ['clip.txt'] })
  await give(page, 'paste', { text: 'a thought' })
  await expect(chosen(page)).toHaveText([/clip\.txt/, /pasted-[\d-]+\.txt/])
  // What is pasted into a text field belongs there.
  const taken = await page.evaluate(() => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', 'a search')
    const field = document.body.appendChild(document.createElement('textarea'))
    const paste = new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData })
    return !field.dispatchEvent(paste)
  })
  expect(taken).toBe(false)
  await expect(chosen(page)).toHaveCount(2)
  await expect(said(page)).toHaveText(/was pasted.*2 files are chosen/)
  await send(page).click()
  await expect(kept(page)).toHaveCount(2)
  const link = await page.getByRole('link', { name: /New task with pasted/ }).getAttribute('href')
  const id = new URL(link ?? '', page.url()).searchParams.get('fileId')
  const content = await page.request.get(`/files/${id}/download`)
  expect(await content.text()).toBe('a thought')
})

test('empty and too large files are named before anything is sent, and the others stay chosen', async ({
  page,
}, testInfo) => {
  test.slow()
  const files = { 'good.txt': 5, 'empty.txt': 0, 'large.txt': 10 * MIB + 1 }
  await input(page).setInputFiles(
    Object.entries(files).map(([name, bytes]) => fileOnDisk(testInfo, name, bytes)),
  )
  await expect(chosen(page)).toHaveCount(3)
  await expect(input(page)).toHaveAccessibleDescription(
    /empty\.txt is empty.*large\.txt is larger than 10 MB/,
  )
  await checkPage(page, { axe: true })
  await page.getByRole('button', { name: 'Remove empty.txt' }).click()
  await page.getByRole('button', { name: 'Remove large.txt' }).click()
  await expect(input(page)).not.toHaveAttribute('aria-invalid')
  await send(page).click()
  await expect(kept(page)).toHaveText([/good\.txt/])
})

test('each file has its own outcome: the good ones are kept, the others are named', async ({
  page,
  expectedConsoleErrors,
}) => {
  expectedConsoleErrors.push(/status of 4\d\d/)
  await input(page).setInputFiles([file('paper.txt', '%PDF-1.7'), file('good.txt'), file('empty.txt', '')])
  await send(page).click()
  const alert = page.getByRole('alert')
  await expect(alert).toContainText('1 of 3 files were kept')
  await expect(alert).toBeFocused()
  await expect(alert.getByRole('listitem')).toHaveText([
    /paper\.txt:/,
    /good\.txt: kept/,
    /empty\.txt: The file is empty/,
  ])
  await expect(kept(page)).toHaveText([/good\.txt/])
  await expect(chosen(page)).toHaveCount(0)
  await expectNoOverflow(page)

  await input(page).setInputFiles(file('next.txt'))
  await send(page).click()
  await expect(kept(page)).toHaveCount(2)
  await expect(alert).toHaveCount(0)
})

test('after a lost answer the choice is kept, and sending it again stores nothing twice', async ({
  page,
  context,
  expectedConsoleErrors,
}) => {
  expectedConsoleErrors.push(/ERR_CONNECTION_CLOSED|ERR_FAILED/)
  await input(page).setInputFiles([file('one.txt'), file('two.txt')])
  const lost = loseAnswer(context, page)
  await send(page).click()
  await lost
  await expect(page.getByRole('alert')).toContainText('Your choice is kept')
  await expect(page.getByRole('alert')).toBeFocused()
  await expect(chosen(page)).toHaveText([/one\.txt/, /two\.txt/])

  await send(page).click()
  await expect(kept(page)).toHaveCount(2)
  await expect(page.getByRole('alert')).toHaveCount(0)
  await page.reload()
  await expect(kept(page)).toHaveCount(2)
})

test('after a lost answer another choice is another upload', async ({
  page,
  context,
  expectedConsoleErrors,
}) => {
  expectedConsoleErrors.push(/ERR_CONNECTION_CLOSED|ERR_FAILED/)
  await input(page).setInputFiles(file('one.txt'))
  const lost = loseAnswer(context, page)
  await send(page).click()
  await lost
  await expect(page.getByRole('alert')).toBeVisible()
  await input(page).setInputFiles(file('other.txt', 'something else'))
  await send(page).click()
  await expect(kept(page)).toHaveText([/other\.txt/, /one\.txt/])
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('a session that has ended leads to signing in', async ({ page, context, expectedConsoleErrors }) => {
  expectedConsoleErrors.push(/status of 401/)
  await input(page).setInputFiles(file('late.txt'))
  await context.clearCookies()
  await send(page).click()
  await expect(page).toHaveURL(/\/login\?redirectTo=/)
})
