import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { hiddenFields, linksIn, textIn } from '../scripts/site/page-reading.mjs'
import { BULK_MAX } from '~/config/limits'
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
beforeAll(async () => {
  sql = database.connect().$client
  await refuseClaims(sql)
})
beforeEach(async () => {
  ada = await signUp(site)
  fileId = await ada.upload('one\r\n', 'one.txt')
})

/** Ends a task as if no worker had been found for it. */
async function fail(taskId: string) {
  await ada.waitFor(taskId, 'queued')
  await sql`update task set waiting_since = clock_timestamp() - interval '25 hours' where id = ${taskId}`
  await sql`select engine.exhaust_delivery(null, ${taskId}, interval '24 hours')`
}

const postBulk = (path: string, fields: [string, string][]) =>
  ada.send(path, { method: 'POST', body: new URLSearchParams(fields) })

const idFields = (ids: string[]): [string, string][] => ids.map((id) => ['taskId', id])

test('cancelling several leads to a page that says what became of each, also after a reload', async () => {
  const eve = await signUp(site)
  const others = await eve.submit(await eve.upload('hers\n', 'known-to-eve-only.txt'))
  const [waiting, ended] = [await ada.submit(fileId), await ada.submit(fileId)]
  await ada.post(`/tasks/${ended}/cancel`)
  const answer = await postBulk('/tasks/cancel', idFields([others, waiting, ended, waiting]))
  expect(answer.status).toBe(303)
  const location = answer.headers.get('location') ?? ''
  expect(location).toMatch(/^\/tasks\?/)
  for (const page of [await ada.get(location), await ada.get(location)]) {
    const text = textIn(await page.text())
    expect(text).toContain('Cancelling 3 tasks: 2 done, 1 not.')
    expect(text).toMatch(/There is no such task\..*Canceled\..*It had ended before\./)
    expect(text).not.toContain('known-to-eve-only')
  }
  expect((await ada.taskStatus(waiting)).status).toBe('canceled')
  expect((await eve.taskStatus(others)).status).toBe('queued')
})

test('the list’s own form retries the failures that it shows, and sent again it changes nothing', async () => {
  const [first, second] = [await ada.submit(fileId), await ada.submit(fileId)]
  await fail(first)
  await fail(second)
  const page = await (await ada.get('/tasks')).text()
  expect(textIn(page)).toContain('Needs your attention')
  const fields = [...hiddenFields(page, '/tasks/cancel'), ...idFields([first, second])]
  expect(fields.map(([name]) => name)).toContain(`attempts.${first}`)
  const answer = await postBulk('/tasks/retry', fields)
  const report = textIn(await (await ada.get(answer.headers.get('location') ?? '')).text())
  expect(report).toContain('Retrying 2 tasks: done.')
  await fail(first)
  const again = await postBulk('/tasks/retry', fields)
  expect(textIn(await (await ada.get(again.headers.get('location') ?? '')).text())).toContain(
    'started again before',
  )
  expect((await ada.taskStatus(first)).status).toBe('failed')
})

test('nothing chosen, too much chosen and what is no id are refused, and nothing is changed', async () => {
  const taskId = await ada.submit(fileId)
  await sql`delete from rate_limit`
  expect((await postBulk('/tasks/cancel', [])).status).toBe(400)
  expect((await postBulk('/tasks/cancel', idFields([taskId, 'x']))).status).toBe(400)
  expect(
    (
      await postBulk('/tasks/retry', [
        ['taskId', taskId],
        [`attempts.${taskId}`, 'x'],
      ])
    ).status,
  ).toBe(400)
  await sql`delete from rate_limit`
  const many = Array.from({ length: BULK_MAX + 1 }, () => randomUUID())
  expect((await postBulk('/tasks/cancel', idFields([taskId, ...many]))).status).toBe(429)
  expect((await ada.taskStatus(taskId)).status).not.toBe('canceled')
})

test('a form counts as many writes as it has tasks', async () => {
  const ids = Array.from({ length: 10 }, () => randomUUID())
  await sql`delete from rate_limit`
  expect((await postBulk('/tasks/cancel', idFields(ids))).status).toBe(303)
  expect((await postBulk('/tasks/retry', idFields(ids))).status).toBe(303)
  const refused = await postBulk('/tasks/cancel', idFields(ids.slice(0, 1)))
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
})

test('an invented report says nothing that isn’t in the site’s own words', async () => {
  const page = await ada.get(`/tasks?did=cancel&item=Hello.${randomUUID()}&item=canceled.x&item=__proto__`)
  expect(page.status).toBe(200)
  expect(textIn(await page.text())).not.toMatch(/Hello|Cancelling/)
})

test('filters are links with counts', async () => {
  await ada.submit(fileId)
  const page = await (await ada.get('/tasks?status=queued')).text()
  expect(linksIn(page)).toContain('/tasks?status=failed')
  expect(textIn(page)).toMatch(/All tasks\s*1/)
})

/** What the page's script asks with. */
async function tagOf(path: string): Promise<string> {
  const page = await (await ada.get(path)).text()
  // Within the data that the page carries for its script, which are a string within a string.
  return `"${/"tag\\",\\"[\\]*"([0-9a-f]{24})/.exec(page)?.[1]}"`
}

test('a page brings the tag with which asking for news is answered 304 until there are some', async () => {
  const taskId = await ada.submit(fileId)
  await ada.waitFor(taskId, 'queued')
  const asked = [
    ['/api/tasks?status=queued', await tagOf('/tasks?status=queued')],
    [`/api/tasks/${taskId}/status`, await tagOf(`/tasks/${taskId}`)],
  ] as const
  const statuses = async () => {
    const answers = asked.map(([probe, tag]) => ada.get(probe, { 'if-none-match': tag }))
    return (await Promise.all(answers)).map(({ status }) => status)
  }
  expect(await statuses()).toEqual([304, 304])
  await ada.post(`/tasks/${taskId}/cancel`)
  expect(await statuses()).toEqual([200, 200])
})
