import { test as base, expect, type ConsoleMessage } from '@playwright/test'
import { ownAddress, signUp, type Account } from './account'

interface Fixtures {
  /** A new account; the test's pages are signed in to it. */
  account: Account
  /** Where the site is, without a slash at the end. */
  origin: string
  /** Add what a test provokes on purpose, such as `/status of 409/`; every other console error fails it. */
  expectedConsoleErrors: RegExp[]
  watchConsole: void
}

/** Playwright's `test` for this site. */
export const test = base.extend<Fixtures>({
  origin: async ({ baseURL }, use) => {
    if (!baseURL) throw new Error('There is no site: e2e/support/global-setup.ts starts it.')
    await use(baseURL)
  },
  extraHTTPHeaders: async ({}, use) => use({ 'cf-connecting-ip': ownAddress() }),
  account: async ({ context, origin }, use) => use(await signUp(context, origin)),
  expectedConsoleErrors: async ({}, use) => use([]),
  watchConsole: [
    async ({ context, expectedConsoleErrors }, use) => {
      const errors: string[] = []
      const note = (text: string) => {
        if (!expectedConsoleErrors.some((expected) => expected.test(text))) errors.push(text)
      }
      context.on('console', (message) => {
        if (message.type() === 'error') note(describe(message))
      })
      context.on('weberror', (error) => note(String(error.error())))
      await use()
      expect(errors, 'errors in the browser’s console').toEqual([])
    },
    { auto: true },
  ],
})

const describe = (message: ConsoleMessage) => `${message.text()} (${message.location().url})`

export { expect }
