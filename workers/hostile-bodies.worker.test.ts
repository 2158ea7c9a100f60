import { readFileSync } from 'node:fs'
import { parse } from 'content-disposition'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Sql } from '~/db/client.server'
import { testDatabase } from '~/testing/database'
import { signUp, type Person } from '~/testing/person'
import { openRawRequest } from '~/testing/raw-request'
import { testSite } from '~/testing/site'
import { childrenWith } from '../scripts/site/processes.mjs'

const MIB = 1024 * 1024
const database = testDatabase()
const site = testSite(database)

let sql: Sql
let ada: Person
beforeAll(() => {
  sql = database.connect().$client
})
beforeEach(async () => {
  await sql`delete from rate_limit`
  ada = await signUp(site)
})

const BOUNDARY = 'boundary-7'
const MULTIPART = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
const field = (disposition: string, content: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data${disposition}\r\n\r\n${content}\r\n`
const file = (fileName: string, content: string) => field(`; name="file"; filename="${fileName}"`, content)
const END = `--${BOUNDARY}--\r\n`

/** Everything that an upload could leave behind: rows, what they count for, and objects. */
async function kept() {
  const [counts] = await sql`
    select (select count(*)::integer from file) as files, (select count(*)::integer from storage_usage) as accounts,
           (select coalesce(sum(byte_count), 0)::text from storage_usage) as bytes`
  const { objects } = await (await site.bucket()).list()
  return { ...counts, objects: objects.length }
}

/** Sends exactly this as Ada, and answers the status and what follows. */
async function sendRaw(body: string, headers: Record<string, string | null> = {}, path = '/files') {
  const request = openRawRequest(site, path, {
    cookie: ada.cookie,
    headers: { ...MULTIPART, 'content-length': String(body.length), ...headers },
  })
  await request.send(Buffer.from(body, 'latin1'))
  request.end()
  const answer = await request.answer
  return { status: Number(/^HTTP\/1.1 (\d+) /.exec(answer)?.[1]), answer }
}

describe('a hostile upload is answered and leaves nothing behind', () => {
  const good = file('a.txt', 'one')
  test.each<[string, string, number, Record<string, string | null>?]>([
    ['without an end', good, 400],
    ['cut off within a part', good.slice(0, -10), 400],
    ['with a part without a name', good + field('; filename="b.txt"', 'two') + END, 400],
    ['with a part without headers', `${good}--${BOUNDARY}\r\n\r\ntwo\r\n${END}`, 400],
    [
      'of thousands of files',
      Array.from({ length: 5_000 }, (_, at) => file(`${at}.txt`, 'x')).join('') + END,
      400,
    ],
    ['of thousands of fields', good + field('; name="x"', '1').repeat(5_000) + END, 400],
    ['with a key of a mebibyte', good + field('; name="requestKey"', 'k'.repeat(MIB)) + END, 400],
    ['with a key that is none', good + field('; name="requestKey"', "' or 1=1") + END, 400],
    ['with endless headers', `--${BOUNDARY}\r\n${'X-Padding: 1\r\n'.repeat(5_000)}`, 400],
    ['with a name that is no UTF-8', file('\xff\xfe.txt', 'one') + END, 400],
    ['with something before the boundary', `x${good}${END}`, 400],
    ['of another boundary', (good + END).replaceAll(BOUNDARY, 'other'), 400],
    ['without a boundary', good + END, 400, { 'content-type': 'multipart/form-data' }],
    ['without a type', good + END, 400, { 'content-type': null }],
    ['of nothing', '', 400],
    ['of an empty file', file('empty.txt', '') + END, 400],
    ['longer than announced', good + END, 400, { 'content-length': String(good.length) }],
    ['announced as a gibibyte', good + END, 413, { 'content-length': String(1024 * MIB) }],
  ])('%s', async (_, body, status, headers) => {
    const before = await kept()
    const { status: answered, answer } = await sendRaw(body, headers)
    expect(answered).toBe(status)
    expect(await kept()).toEqual(before)
    expect(answer).toContain('</html>')
  })

  test.each<[string, string, Record<string, string | null>]>([
    ['shorter than announced', file('a.txt', 'one') + END, { 'content-length': '5000' }],
    [
      'in chunks, without the last',
      `5\r\n--bou\r\n`,
      { 'content-length': null, 'transfer-encoding': 'chunked' },
    ],
    ['in chunks that are none', `zz\r\n`, { 'content-length': null, 'transfer-encoding': 'chunked' }],
  ])('%s, where nobody may be left to be answered', async (_, body, headers) => {
    const before = await kept()
    const { status } = await sendRaw(body, headers)
    expect([400, NaN]).toContain(status)
    expect(await kept()).toEqual(before)
  })
})

describe('an odd upload is kept as it is', () => {
  test.each<[string, Uint8Array<ArrayBuffer>]>([
    ['one line of ten mebibytes', new Uint8Array(10 * MIB).fill(97)],
    ['nothing but NUL bytes', new Uint8Array(1000)],
    ['UTF-16', Uint8Array.from(Buffer.from('\ufeffsixteen bits', 'utf16le'))],
    ['something that looks like the form’s end', Uint8Array.from(Buffer.from('\r\n--boundary-7--\r\n'))],
  ])('%s', async (_, bytes) => {
    const fileId = await ada.upload(bytes)
    const response = await ada.get(`/files/${fileId}/download`)
    expect(response.headers.get('content-length')).toBe(String(bytes.length))
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
  })

  test.each([
    ['../../etc/passwd.txt', 'passwd.txt'],
    ['C:\\Windows\\system.txt', 'system.txt'],
    ['say %22hi%22.txt', 'say _hi_.txt'],
    ['a%0D%0ASet-Cookie: x=1.txt', 'a Set-Cookie_ x=1.txt'],
    [`${'a'.repeat(300)}.txt`, `${'a'.repeat(196)}.txt`],
    [`${'🌊'.repeat(100)}.txt`, `${'🌊'.repeat(49)}.txt`],
    ['photo\u202etxt.exe.txt', 'phototxt.exe.txt'],
    ['CON.txt', '_CON.txt'],
    ['\u0000.txt', '.txt'],
  ])('under a harmless name: %j', async (sent, saved) => {
    const { status } = await sendRaw(Buffer.from(file(sent, 'one') + END).toString('latin1'))
    expect(status).toBe(303)
    const [row] = await sql<{ id: string }[]>`
      select f.id from file f join "user" u on u.id = f.user_id where u.email = ${ada.email}`
    const header = (await ada.get(`/files/${row?.id}/download`)).headers.get('content-disposition') ?? ''
    expect(parse(header)).toMatchObject({ type: 'attachment', parameters: { filename: saved } })
  })
})

test.each([
  ['too large', `{"fileId":"${'x'.repeat(MIB)}"}`],
  ['nested without an end', '['.repeat(60_000)],
  ['no UTF-8', '{"fileId":"\xff"}'],
  ['with NUL', '{"fileId":"\\u0000","processor":"\\u0000"}'],
  ['with a prototype', '{"__proto__":{"fileId":"x"},"constructor":1}'],
  ['empty', ''],
])('JSON that is %s is answered as invalid', async (_, body) => {
  const { status, answer } = await sendRaw(
    body,
    { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    '/api/tasks',
  )
  expect(status).toBe(400)
  expect(answer).toContain('"code":"INVALID_INPUT"')
})

describe('the Worker’s memory', () => {
  /** Of workerd, in MiB. */
  const resident = () => {
    const [pid] = childrenWith('workerd', `entry=${new URL(site.address).host}`)
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  }

  test.runIf(process.platform === 'linux')(
    'stays bounded under bodies without an end',
    { timeout: 180_000 },
    async () => {
      const people = await Promise.all(Array.from({ length: 4 }, () => signUp(site)))
      await ada.upload(new Uint8Array(10 * MIB).fill(97))
      const before = resident()
      let most = before
      let going = true
      const measuring = (async () => {
        for (; going; await new Promise((resolve) => setTimeout(resolve, 50)))
          most = Math.max(most, resident())
      })()

      const chunk = Buffer.concat([
        Buffer.from('10000\r\n'),
        Buffer.alloc(64 * 1024, 97),
        Buffer.from('\r\n'),
      ])
      const head = Buffer.from(file('endless.txt', '').slice(0, -2))
      const endless = async (cookie: string) => {
        const request = openRawRequest(site, '/files', {
          cookie,
          headers: { ...MULTIPART, 'transfer-encoding': 'chunked' },
        })
        await request.send(
          Buffer.concat([Buffer.from(`${head.length.toString(16)}\r\n`), head, Buffer.from('\r\n')]),
        )
        let sent = 0
        for (; sent < 1024 * MIB && !request.ended && request.soFar === ''; sent += chunk.length)
          await request.send(chunk)
        request.destroy()
        return sent / MIB
      }
      const parts = Array.from({ length: 20_000 }, (_, at) => file(`${at}.txt`, 'x')).join('') + END
      const sent = await Promise.all([
        ...[...people, ...people].map(({ cookie }) => endless(cookie)),
        ...Array.from({ length: 8 }, () => sendRaw(parts).then(() => parts.length / MIB)),
      ])
      going = false
      await measuring
      console.log(
        `${Math.round(sent.reduce((sum, each) => sum + each))} MiB sent at once; ` +
          `workerd had ${Math.round(before)} MiB before and ${Math.round(most)} MiB at most`,
      )
      expect(sent.every((each) => each < 1024)).toBe(true)
      expect(most - before).toBeLessThan(200)
      expect((await ada.get('/files')).status).toBe(200)
      await vi.waitFor(async () => expect(await ada.upload('small')).toBeTruthy(), {
        timeout: 30_000,
        interval: 1_000,
      })
    },
  )
})
