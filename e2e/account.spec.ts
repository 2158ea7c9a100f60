import type { Page } from '@playwright/test'
import { newAccount, type Account } from './support/account'
import { checkPage } from './support/page-check'
import { expect, test } from './support/test'

async function changePassword(page: Page, current: string, wanted: string) {
  await page.getByLabel('Current password').fill(current)
  await page.getByLabel('New password').fill(wanted)
  await page.getByRole('button', { name: 'Change the password' }).click()
}

async function logIn(page: Page, { email, password }: Account) {
  await page.goto('/login')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('main').getByRole('button', { name: 'Log in' }).click()
}

test('an account is looked after on one page, and deleted with everything in it', async ({
  page,
  browser,
  account,
  origin,
  javaScriptEnabled,
  expectedConsoleErrors,
}) => {
  test.slow()
  expectedConsoleErrors.push(/status of 400/)
  const axe = javaScriptEnabled
  const elsewhere = await browser.newContext({ baseURL: origin, javaScriptEnabled })
  const other = await elsewhere.newPage()
  await logIn(other, account)
  await expect(other).toHaveURL('/tasks')

  await page.goto('/tasks')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Account' }).click()
  await expect(page).toHaveTitle(/^Account/)
  await expect(page.getByText('(this one)')).toHaveCount(1)
  await checkPage(page, { axe })
  await page.getByRole('button', { name: / on Linux$/ }).click()
  await expect(page.getByRole('button', { name: /^Sign out/ })).toHaveCount(0)
  await other.goto('/tasks')
  await expect(other).toHaveURL(/\/login/)
  await elsewhere.close()

  await changePassword(page, 'not the password', 'a password that is new')
  await expect(page.getByRole('alert')).toBeFocused()
  await expect(page.getByLabel('Current password')).toHaveAccessibleDescription(/isn’t your password/)
  await checkPage(page, { axe })
  await changePassword(page, account.password, 'a password that is new')
  await expect(page.getByText('Your password is changed')).toBeVisible()

  await page.locator('summary', { hasText: 'Delete this account' }).click()
  await checkPage(page, { axe })
  await page.getByLabel('Your password').fill('a password that is wrong')
  await page.getByRole('button', { name: 'Delete everything' }).click()
  await expect(page.getByRole('alert')).toBeFocused()
  await page.getByLabel('Your password').fill('a password that is new')
  await page.getByRole('button', { name: 'Delete everything' }).click()
  await expect(page.getByText('Your account is deleted')).toBeVisible()
  await expect(
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Log in' }),
  ).toBeVisible()
})

test('who forgot the password is told the same with and without an account', async ({
  page,
  account,
  context,
}) => {
  await context.clearCookies()
  for (const email of [account.email, newAccount().email]) {
    await page.goto('/login')
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    // The page before has a field of the same name.
    await expect(page.getByRole('heading', { name: 'A new password' })).toBeVisible()
    await page.getByLabel('E-mail').fill(email)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await expect(page.getByRole('status')).toContainText('If there is an account with this e-mail')
  }
})
