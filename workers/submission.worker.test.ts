import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { hiddenFields, linksIn, textIn } from '../scripts/site/page-reading.mjs'
import type { Sql } from '~/db/client.server'
import { testDatabase } from '~/testing/database'
import { refuseClaims } from '~/testing/holds'
import { signUp, type Person } from '~/testing/person'
import { testSite } from '~/testing/site'

const database = testDatabase()
const site = testSite(database)

let sql: Sql
let ada: Person
let fileId: string
let otherFileId: string
beforeAll(async () => {
  sql = database.connect().$client
  await refuseClaims(sql)
})
/** An account of each test's own, with four tasks that stay active. */
beforeEach(async () => {
  ada = await signUp(site)
  fileId = await ada.upload('one\r\n', 'one.txt')
  otherFileId = await ada.upload('two\r\n', 'two.txt')
  for (let count = 0; count < 4; count += 1) await ada.submit(fileId)
})

const taskIds = async () => {
  const { tasks } = (await (await ada.get('/api/tasks')).json()) as { tasks: { id: string }[] }
  return tasks.map(({ id }) => id)
}

/** The form as its page offers it, filled in. */
async function openForm(path = `/tasks/new?fileId=${fileId}`) {
  const address = (await ada.get(path)).headers.get('location') ?? ''
  const page = await (await ada.get(address)).text()
  const requestKey = hiddenFields(page, '/tasks/new').get('requestKey') ?? ''
  return { address, fields: { requestKey, fileId, processor: 'text-normalize' } }
}

test('the form’s page leads to an address with a key of its own, which reloading keeps', async () => {
  const { address, fields } = await openForm()
  const key = new URL(address, site.origin).searchParams.get('key')
  expect(fields).toMatchObject({ requestKey: key })
  expect((await ada.get(address)).status).toBe(200)
  expect((await openForm()).address).not.toBe(address)
})

test('one form sent many times at once, as the fifth active task, is one task', async () => {
  const { address, fields } = await openForm()
  const answers = await Promise.all(Array.from({ length: 8 }, () => ada.post(address, fields)))
  const led = new Set(answers.map(({ status, headers }) => `${status} ${headers.get('location')}`))
  expect(led.size).toBe(1)
  expect(await taskIds()).toHaveLength(5)

  // Now the limit is reached: the same form still leads to its task, another one is refused.
  const again = await ada.post(address, fields)
  expect(`${again.status} ${again.headers.get('location')}`).toBe([...led][0])
  const other = await openForm()
  const refused = await ada.post(other.address, { ...other.fields, trimTrailing: 'on' })
  expect(refused.status).toBe(409)
  const page = await refused.text()
  expect(textIn(page)).toContain('as many unfinished tasks as this site allows')
  expect(hiddenFields(page, '/tasks/new').get('requestKey')).toBe(other.fields.requestKey)
  expect(page).toMatch(/<input[^>]*name="trimTrailing"[^>]*checked/)
  expect(await taskIds()).toHaveLength(5)
})

test('different forms sent at once don’t slip past the limit together', async () => {
  const forms = await Promise.all(Array.from({ length: 6 }, () => openForm()))
  const answers = await Promise.all(forms.map(({ address, fields }) => ada.post(address, fields)))
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 409, 409, 409, 409, 409])
  expect(await taskIds()).toHaveLength(5)
})

test('a used key with other inputs is a conflict that keeps them, under a fresh key', async () => {
  const { address, fields } = await openForm()
  const first = (await ada.post(address, fields)).headers.get('location') ?? ''
  await ada.post(`${first}/cancel`)

  const conflict = await ada.post(address, { ...fields, fileId: otherFileId, trimTrailing: 'on' })
  expect(conflict.status).toBe(409)
  const page = await conflict.text()
  expect(linksIn(page)).toContain(first)
  const fresh = hiddenFields(page, '/tasks/new').get('requestKey')
  expect(fresh).toMatch(/^[0-9a-f-]{36}$/)
  expect(fresh).not.toBe(fields.requestKey)
  expect(page).toMatch(new RegExp(`<option[^>]*value="${otherFileId}"[^>]*selected`))
  expect(page).toMatch(/<input[^>]*name="trimTrailing"[^>]*checked/)
  expect(await taskIds()).toHaveLength(5)

  const changed = { ...fields, fileId: otherFileId, trimTrailing: 'on', requestKey: fresh ?? '' }
  const second = await ada.post(`/tasks/new?key=${fresh}`, changed)
  expect(second.status).toBe(303)
  expect(second.headers.get('location')).not.toBe(first)
})

test('a form that was sent leads to its task after the task ended and its file is gone', async () => {
  const { address, fields } = await openForm(`/tasks/new?fileId=${otherFileId}`)
  const sent = { ...fields, fileId: otherFileId }
  const first = (await ada.post(address, sent)).headers.get('location')
  expect((await ada.post(`${first}/cancel`)).status).toBe(303)
  expect((await ada.post(`/files/${otherFileId}/delete`)).status).toBe(303)
  const again = await ada.post(address, sent)
  expect([again.status, again.headers.get('location')]).toEqual([303, first])
})

test('an upload sent twice under its key is one file', async () => {
  const requestKey = randomUUID()
  const sendFiles = (last: string) => {
    const form = new FormData()
    form.append('requestKey', requestKey)
    for (const text of ['first', last])
      form.append('file', new File([text], `${text}.txt`, { type: 'text/plain' }))
    return ada.send('/files', { method: 'POST', body: form })
  }
  const count = async () =>
    (await sql`select from file f join "user" u on u.id = f.user_id where u.email = ${ada.email}`).length
  const before = await count()
  const answers = await Promise.all([sendFiles('second'), sendFiles('second')])
  expect(answers.map(({ status }) => status)).toEqual([303, 303])
  expect((await sendFiles('second')).status).toBe(303)
  expect(await count()).toBe(before + 2)
  expect((await sendFiles('other')).status).toBe(409)
  expect(await count()).toBe(before + 2)
})
