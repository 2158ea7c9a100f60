import { randomInt, randomUUID } from 'node:crypto'
import type { BrowserContext } from '@playwright/test'

export interface Account {
  name: string
  email: string
  password: string
}

/** Details for an account that nobody has yet. */
export function newAccount(): Account {
  const id = randomUUID()
  return { name: 'Test Person', email: `person-${id}@millrace.test`, password: `password-${id}` }
}

/** Sign-in attempts are counted by address, and all tests come from one machine: each gets an address of its own. */
export function ownAddress(): string {
  return `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`
}

/** Signs a new account up through the form's own request; the context's pages are signed in afterwards. */
export async function signUp(
  context: BrowserContext,
  origin: string,
  account = newAccount(),
): Promise<Account> {
  const { name, email, password } = account
  const response = await context.request.post(`${origin}/signup`, {
    form: { name, email, password },
    headers: { origin },
    maxRedirects: 0,
  })
  if (response.status() !== 303)
    throw new Error(`/signup answered ${response.status()}: ${await response.text()}`)
  return account
}
