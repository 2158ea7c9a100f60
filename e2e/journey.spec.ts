import { readFile } from 'node:fs/promises'
import { newAccount } from './support/account'
import { expectNoOverflow } from './support/overflow'
import { expect, test } from './support/test'

/** All kinds of line end, white space that goes and white space that stays, and no line end at the end. */
const TEXT = '\ufeffone \r\ntwo\t \rthree\u00a0\n\r\n  four\r\r\nfünf – 六'
const NORMALIZED = '\ufeffone\ntwo\nthree\u00a0\n\n  four\n\nfünf – 六'

test('from signing up to the downloaded result', async ({ page }) => {
  const { name, email, password } = newAccount()
  await page.goto('/')
  await page.getByRole('main').getByRole('link', { name: 'Sign up' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await expectNoOverflow(page)
  await page.getByRole('button', { name: 'Create the account' }).click()
  await expect(page.getByRole('heading', { name: 'No tasks yet' })).toBeVisible()

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Files' }).click()
  await page
    .getByLabel('Add files')
    .setInputFiles({ name: 'line ends.txt', mimeType: 'text/plain', buffer: Buffer.from(TEXT) })
  await page.getByRole('button', { name: 'Upload' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'line ends.txt' })).toBeVisible()
  await expectNoOverflow(page)

  await page.getByRole('link', { name: 'New task with line ends.txt' }).click()
  await page.getByLabel('Remove spaces and tabs at line ends').check()
  await expectNoOverflow(page)
  await page.getByRole('button', { name: 'Start the task' }).click()

  // It shows by itself that it is done.
  await expect(page.getByRole('heading', { name: 'Done' })).toBeVisible()
  await expect(page).toHaveTitle(/Done/)
  await expectNoOverflow(page)
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download', exact: true }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('line ends.normalized.txt')
  expect(await readFile(await download.path())).toEqual(Buffer.from(NORMALIZED))

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tasks' }).click()
  await expect(page.getByRole('link', { name: /line ends\.txt\s*Done/ })).toBeVisible()
})
