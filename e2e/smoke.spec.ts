import { expectNoOverflow } from './support/overflow'
import { expect, test } from './support/test'

test('the landing page answers and fits', async ({ page }) => {
  const response = await page.goto('/')
  expect(response?.status()).toBe(200)
  await expectNoOverflow(page)
})

test('a new account sees its files and tasks, and they fit', async ({ page, account }) => {
  expect(account.email).toContain('@')
  for (const path of ['/files', '/tasks']) {
    const response = await page.goto(path)
    expect(response?.status()).toBe(200)
    expect(new URL(page.url()).pathname).toBe(path)
    await expectNoOverflow(page)
  }
})
