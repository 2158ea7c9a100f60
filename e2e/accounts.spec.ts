import type { Page } from '@playwright/test'
import { newAccount } from './support/account'
import { expect, test } from './support/test'

async function fillIn(page: Page, fields: Record<string, string>) {
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value)
}

/** Presses the button and answers the status of what comes back, page or data. */
async function sendWith(page: Page, button: string): Promise<number> {
  const answered = page.waitForResponse((response) => response.request().method() === 'POST')
  await page.getByRole('main').getByRole('button', { name: button }).click()
  return (await answered).status()
}

test('wrong inputs keep what was typed, with the error beside its field', async ({
  page,
  expectedConsoleErrors,
}) => {
  expectedConsoleErrors.push(/status of 400/)
  await page.goto('/signup')
  await fillIn(page, { Name: 'Ada Lovelace', 'E-mail': 'ada at example', Password: 'short' })
  expect(await sendWith(page, 'Create the account')).toBe(400)
  const email = page.getByLabel('E-mail')
  await expect(email).toHaveAccessibleDescription(/such as ada@example\.org/)
  await expect(email).toHaveAttribute('aria-invalid', 'true')
  await expect(email).toHaveValue('ada at example')
  await expect(page.getByLabel('Name')).toHaveValue('Ada Lovelace')
  await expect(page.getByLabel('Name')).not.toHaveAttribute('aria-invalid')
  await expect(page.getByLabel('Password')).toHaveAccessibleDescription(/At least 10 characters\./)
  await expect(page.getByRole('alert')).toBeFocused()
  await page
    .getByRole('alert')
    .getByRole('link', { name: /ada@example/ })
    .click()
  await expect(email).toBeFocused()
})

test('an e-mail that is taken and a wrong password are told apart from nothing else', async ({
  page,
  account,
  context,
  expectedConsoleErrors,
}) => {
  expectedConsoleErrors.push(/status of 400/)
  await context.clearCookies()
  await page.goto('/signup')
  await fillIn(page, { Name: 'Somebody', 'E-mail': account.email.toUpperCase(), Password: 'a long password' })
  expect(await sendWith(page, 'Create the account')).toBe(400)
  await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription(/already/)

  await page.goto('/login')
  for (const email of [account.email, newAccount().email]) {
    await fillIn(page, { 'E-mail': email, Password: 'a wrong password' })
    expect(await sendWith(page, 'Log in')).toBe(400)
    await expect(page.getByRole('alert')).toContainText('don’t belong together')
    await expect(page.getByLabel('E-mail')).toHaveValue(email)
  }
})

test('too many attempts to log in are refused with a page that says how long', async ({
  page,
  account,
  context,
  expectedConsoleErrors,
}) => {
  expectedConsoleErrors.push(/status of 4(00|29)/)
  await context.clearCookies()
  await page.goto('/login')
  let status = 400
  // Five a minute, and at most one new minute begins meanwhile.
  for (let count = 0; count <= 10 && status === 400; count += 1) {
    await fillIn(page, { 'E-mail': account.email, Password: 'a wrong password' })
    status = await sendWith(page, 'Log in')
  }
  expect(status).toBe(429)
  await expect(page.getByRole('alert')).toContainText('Wait a minute')
  await expect(page.getByLabel('E-mail')).toHaveValue(account.email)
})

test('logging in leads to where one was going, and never to another site', async ({
  page,
  account,
  context,
  origin,
}) => {
  await context.clearCookies()
  const wanted = '/tasks?status=failed'
  await page.goto(wanted)
  await expect(page).toHaveURL(`/login?${new URLSearchParams({ redirectTo: wanted })}`)
  await fillIn(page, { 'E-mail': account.email, Password: account.password })
  await sendWith(page, 'Log in')
  await expect(page).toHaveURL(wanted)

  await context.clearCookies()
  await page.goto(`/login?${new URLSearchParams({ redirectTo: '//evil.example/tasks' })}`)
  await fillIn(page, { 'E-mail': account.email, Password: account.password })
  await sendWith(page, 'Log in')
  await expect(page).toHaveURL(`${origin}/tasks`)
})

test('after logging out, going back shows nothing private', async ({ page, account }) => {
  await page.goto('/files')
  await expect(page.getByText(account.email)).toBeVisible()
  await page.getByRole('button', { name: 'Log out' }).click()
  await expect(page).toHaveURL('/')
  await expect(page.getByText(account.email)).toHaveCount(0)
  await page.goBack()
  await expect(page).toHaveURL(/\/login\?redirectTo=/)
  await expect(page.getByText(account.email)).toHaveCount(0)
})

test('a file that can’t be kept says why, and the good ones beside it are kept', async ({
  page,
  account,
  expectedConsoleErrors,
}) => {
  expectedConsoleErrors.push(/status of 4\d\d/)
  expect(account.email).toContain('@')
  await page.goto('/files')
  const file = (name: string, content: string) => ({
    name,
    mimeType: 'text/plain',
    buffer: Buffer.from(content),
  })
  await page.getByLabel('Add files').setInputFiles([file('good.txt', 'good'), file('empty.txt', '')])
  expect(await sendWith(page, 'Upload')).toBe(400)
  await expect(page.getByRole('alert')).toContainText('1 of 2 files were kept')
  await expect(page.getByRole('alert')).toContainText(/empty\.txt.*The file is empty/)
  await expect(page.getByLabel('Add files')).toHaveAccessibleDescription(/The file is empty/)
  await expect(page.getByRole('link', { name: /^good\.txt/ })).toBeVisible()
})
