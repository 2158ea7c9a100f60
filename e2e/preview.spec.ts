import type { Page } from '@playwright/test'
import { checkPage } from './support/page-check'
import { uploadFile } from './support/tasks'
import { expect, test } from './support/test'

const NAME = `${'Unbreakable'.repeat(15)}.txt`

let fileId: string
test.beforeEach(async ({ page, context, origin, account }) => {
  expect(account.email).toContain('@')
  const content = Array.from({ length: 80 }, (_, line) => `line ${line}, ${'long'.repeat(20)}`).join('\n')
  fileId = await uploadFile(context, origin, { name: NAME, content })
  await page.goto('/files')
  await page.waitForFunction(() => '__remixRouter' in window)
})

const link = (page: Page) => page.locator(`a[href="/files/${fileId}"]`).first()
const dialog = (page: Page) => page.getByRole('dialog', { name: /Unbreakable/ })
const content = (page: Page) => dialog(page).getByRole('region', { name: /Unbreakable/ })

test('a file’s preview opens over the list, is read with the keyboard, and gives the focus back', async ({
  page,
}) => {
  test.slow()
  await link(page).focus()
  await page.keyboard.press('Enter')
  await expect(dialog(page)).toContainText('line 0')
  await expect(page).toHaveURL('/files')
  await checkPage(page, { axe: true })
  const frame = await dialog(page).boundingBox()
  expect(frame?.width).toBeLessThanOrEqual(page.viewportSize()!.width)
  expect(frame?.height).toBeLessThanOrEqual(page.viewportSize()!.height)

  const close = dialog(page).getByRole('button', { name: 'Close' })
  await expect(close).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(content(page)).toBeFocused()
  await page.keyboard.press('End')
  await expect.poll(() => content(page).evaluate((element) => element.scrollTop)).toBeGreaterThan(0)
  await expect(close).toBeInViewport()

  await page.keyboard.press('Escape')
  await expect(dialog(page)).toHaveCount(0)
  await expect(link(page)).toBeFocused()

  await page.keyboard.press('Enter')
  await expect(dialog(page)).toContainText('line 0')
  await close.press('Enter')
  await expect(dialog(page)).toHaveCount(0)
  await expect(link(page)).toBeFocused()
})

test('a click beside the dialog closes it, and its page is one link away', async ({ page }) => {
  await link(page).click()
  await expect(dialog(page)).toBeVisible()
  await page.mouse.click(2, 2)
  await expect(dialog(page)).toHaveCount(0)
  await link(page).click()
  await dialog(page).getByRole('link', { name: 'Open its page' }).click()
  await expect(page).toHaveURL(`/files/${fileId}`)
  await expect(dialog(page)).toHaveCount(0)
  await expect(page.getByRole('heading', { level: 1, name: /Unbreakable/ })).toBeVisible()
})

test('another tab gets the page, not the dialog', async ({ page, context }) => {
  for (const click of [{ modifiers: ['ControlOrMeta' as const] }, { button: 'middle' as const }]) {
    const opened = context.waitForEvent('page')
    await link(page).click(click)
    const tab = await opened
    await expect(tab.getByRole('heading', { level: 1, name: /Unbreakable/ })).toBeVisible()
    await tab.close()
  }
  await expect(dialog(page)).toHaveCount(0)
})

test('a file that is gone and a lost connection are said in the dialog, and the list stays', async ({
  page,
  context,
  origin,
  expectedConsoleErrors,
}) => {
  expectedConsoleErrors.push(/ERR_FAILED|status of 404/)
  await page.route('**/preview', (route) => route.abort())
  await link(page).click()
  await expect(content(page)).toHaveText(/No answer came/)
  await page.unroute('**/preview')
  await page.keyboard.press('Escape')

  await context.request.post(`${origin}/files/${fileId}/delete`, { headers: { origin }, maxRedirects: 0 })
  await link(page).click()
  await expect(content(page)).toHaveText(/isn’t there/)
  await page.keyboard.press('Escape')
  await expect(link(page)).toBeFocused()
})
