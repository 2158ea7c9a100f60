/** The account that a new local site starts with. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keptSecret } from './data-dir.mjs'
import { openSession } from './http-session.mjs'
import { SAMPLE_NAME, SAMPLE_TEXT } from './sample.mjs'

export const DEMO_EMAIL = 'demo@millrace.test'

/**
 * Makes the demo account and its sample file through the site's own forms, once in the life of a database: whoever deletes
 * the file doesn't find it there again. Answers how to sign in.
 *
 * @param {{ origin: string, address: string, dataDir: string, databaseIsNew: boolean }} site
 * @returns {Promise<{ email: string, password: string }>}
 */
export async function seedDemoAccount({ origin, address, dataDir, databaseIsNew }) {
  const password = keptSecret(dataDir, 'demo-password', 9)
  const done = join(dataDir, 'demo-account')
  if (databaseIsNew || !existsSync(done)) {
    const person = openSession(origin, address)
    const fields = { email: DEMO_EMAIL, password }
    const signedUp = await person.post('/signup', { name: 'Demo', ...fields })
    // A start that was interrupted after signing up left the account without its file.
    const entered = signedUp.status === 303 ? signedUp : await person.post('/login', fields)
    if (entered.status !== 303)
      throw new Error(`/signup answered ${signedUp.status}, /login ${entered.status}`)

    const form = new FormData()
    form.append('file', new File([SAMPLE_TEXT], SAMPLE_NAME, { type: 'text/plain' }))
    const uploaded = await person.post('/files', form)
    if (uploaded.status !== 303) throw new Error(`/files answered ${uploaded.status} to the sample file`)
    writeFileSync(done, `${DEMO_EMAIL}\n`)
  }
  return { email: DEMO_EMAIL, password }
}
