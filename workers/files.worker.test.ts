import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { FAILURES } from '~/config/failures'
import type { Sql } from '~/db/client.server'
import { testDatabase } from '~/testing/database'
import { signUp, visitor, type Person } from '~/testing/person'
import { testSite } from '~/testing/site'

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

/** Sends a form of these files, and answers the status with what is stored in the end. */
async function send(files: [name: string, content: string | Uint8Array<ArrayBuffer>][], requestKey?: string) {
  const form = new FormData()
  for (const [name, content] of files) form.append('file', new File([content], name))
  if (requestKey) form.append('requestKey', requestKey)
  const response = await ada.send('/files', { method: 'POST', body: form })
  return { status: response.status, page: await response.text() }
}

/** Of Ada. */
const rows = () => sql<{ id: string; name: string; state: string; object_key: string }[]>`
  select f.id, f.name, f.state, f.object_key from file f join "user" u on u.id = f.user_id
   where u.email = ${ada.email} order by f.created_at, f.id`

const names = async () => (await rows()).map(({ name, state }) => `${name} ${state}`)

async function books() {
  const [use] = await sql<{ files: number; bytes: string; counted: number; size: string }[]>`
    select coalesce(max(s.file_count), 0) as files, coalesce(max(s.byte_count), 0) as bytes,
           count(f.id)::integer as counted, coalesce(sum(f.byte_size), 0) as size
      from "user" u left join file f on f.user_id = u.id left join storage_usage s on s.user_id = u.id
     where u.email = ${ada.email}`
  expect([use?.files, Number(use?.bytes)]).toEqual([use?.counted, Number(use?.size)])
}

describe('uploading', () => {
  test('keeps every file that is good, and says what became of each', async () => {
    const { status, page } = await send([
      ['a.txt', 'one'],
      ['empty.txt', ''],
      ['big.txt', new Uint8Array(10 * MIB + 1).fill(97)],
      ['paper.txt', '%PDF-1.7 '],
      ['../../b.txt', 'two'],
    ])
    expect(status).toBe(400)
    expect(await names()).toEqual(['a.txt ready', 'b.txt ready'])
    for (const name of ['a.txt', 'empty.txt', 'big.txt', 'paper.txt', 'b.txt']) expect(page).toContain(name)
    await books()
  })

  test('sent again with its key is the same upload, wherever the key stands in the form', async () => {
    const key = randomUUID()
    expect((await send([['a.txt', 'one']], key)).status).toBe(303)
    expect((await send([['a.txt', 'one']], key)).status).toBe(303)
    expect((await send([['a.txt', 'other']], key)).status).toBe(409)
    expect((await send([['b.txt', 'x']], 'no key')).status).toBe(400)
    expect(await names()).toEqual(['a.txt ready'])
  })

  test('a program gets the same outcomes as JSON, and the form’s key is one for both', async () => {
    const key = randomUUID()
    const post = async (...files: File[]) => {
      const body = new FormData()
      body.append('requestKey', key)
      for (const file of files) body.append('file', file)
      const response = await ada.send('/api/files', { method: 'POST', body })
      return { status: response.status, body: (await response.json()) as unknown }
    }
    expect((await send([['a.txt', 'one']], key)).status).toBe(303)
    const [stored] = await rows()
    const kept = { name: 'a.txt', fileId: stored?.id, failure: null }
    const first = new File(['one'], 'a.txt')
    expect(await post(first)).toEqual({ status: 201, body: { outcomes: [kept] } })
    const { message, next, family } = FAILURES.FILE_EMPTY
    const failure = { code: 'FILE_EMPTY', message, next }
    expect(await post(first, new File([''], 'empty.txt'))).toEqual({
      status: 400,
      body: {
        outcomes: [kept, { name: 'empty.txt', fileId: null, failure }],
        error: { ...failure, family },
      },
    })
    expect(await names()).toEqual(['a.txt ready'])
  })

  test('whose key comes too late for its files says so', async () => {
    const large = (name: string): [string, Uint8Array<ArrayBuffer>] => [
      name,
      new Uint8Array(6 * MIB).fill(97),
    ]
    const { status, page } = await send([large('a.txt'), large('b.txt')], randomUUID())
    expect(status).toBe(400)
    expect(page).toContain('requestKey followed files')
    expect(page).toContain('a.txt')
    expect(await names()).toEqual(['a.txt ready'])
    await books()
  })

  test('twenty at once are all kept', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => send([[`${at}.txt`, `file ${at}`]])),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 303))
    expect(await rows()).toHaveLength(20)
    await books()
  })

  test('beyond the limit of a minute is refused, file by file and then without reading', async () => {
    await sql`insert into rate_limit (scope, subject, window_start, count)
      select 'files.write', id, date_trunc('minute', clock_timestamp()), 59 from "user" where email = ${ada.email}`
    const { status, page } = await send([
      ['a.txt', 'one'],
      ['b.txt', 'two'],
    ])
    // The minute may have ended meanwhile; then nothing was refused.
    if (status === 303) return
    expect(status).toBe(429)
    expect(page).toContain('b.txt')
    expect(await names()).toEqual(['a.txt ready'])
    const refused = await ada.send('/files', { method: 'POST', body: new Uint8Array(3 * MIB) })
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60'])
  })

  test.each([
    ['is announced as 300 MiB', 413, { 'content-length': String(300 * MIB) }],
    ['has no boundary', 400, { 'content-type': 'multipart/form-data' }],
    ['is no form', 400, { 'content-type': 'text/plain' }],
  ])('a body that %s is refused', async (_, status, headers) => {
    expect(await rawUpload(headers, 'x'.repeat(1000), { end: true })).toMatch(
      new RegExp(`^HTTP/1.1 ${status} `),
    )
    expect(await rows()).toEqual([])
  })

  test('a form whose end is missing is refused and leaves nothing behind', async () => {
    const body = `${part('a.txt', 'one')}${part('b.txt', 'two')}`
    expect(await rawUpload({}, body, { end: true })).toMatch(/^HTTP\/1.1 400 /)
    expect(await rows()).toEqual([])
  })

  test('bodies that break off take no room from those that come after', async () => {
    const length = String(10 * MIB)
    for (let each = 0; each < 12; each++) {
      await rawUpload({ 'content-length': length }, part('a.txt', 'x'.repeat(100_000)).slice(0, -2), {
        breakOff: true,
      })
    }
    const whole = new Uint8Array(10 * MIB).fill(97)
    // It takes a moment until the last of them is missed; what has taken room for good would keep it for minutes.
    await vi.waitFor(async () => expect((await send([['whole.txt', whole]])).status).toBe(303), {
      timeout: 20_000,
      interval: 500,
    })
    expect(await names()).toEqual(['whole.txt ready'])
    await books()
  })
})

describe('a download over the wire', () => {
  const CONTENT = '0123456789'.repeat(20_000)
  const download = async (headers: Record<string, string> = {}, method = 'GET') => {
    const [file] = await rows()
    return ada.send(`/files/${file?.id}/download`, {
      method,
      headers: { 'accept-encoding': 'gzip, br', ...headers },
    })
  }

  test('has its length, its headers, its parts and its tag', async () => {
    await ada.upload(CONTENT, 'Größe "1".txt')
    const whole = await download()
    expect(await whole.text()).toBe(CONTENT)
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-disposition': `attachment; filename="Gr_e _1_.txt"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20_1_.txt`,
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '200000',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-store',
    })
    const etag = whole.headers.get('etag') ?? ''

    const head = await download({}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([
      200,
      '200000',
      etag,
    ])

    const end = await download({ range: 'bytes=-5', 'if-range': etag })
    expect([
      end.status,
      end.headers.get('content-range'),
      end.headers.get('content-length'),
      await end.text(),
    ]).toEqual([206, 'bytes 199995-199999/200000', '5', '56789'])
    expect((await download({ range: 'bytes=200000-' })).status).toBe(416)
    const same = await download({ 'if-none-match': etag })
    expect([same.status, await same.text()]).toEqual([304, ''])
  })

  test('is nobody else’s, says when it has expired, and is not found when its object is gone', async () => {
    await ada.upload('one')
    const [file] = await rows()
    const path = `/files/${file?.id}/download`
    const eve = await signUp(site)
    expect((await eve.get(path)).status).toBe(404)
    expect((await visitor(site).get(path)).status).toBe(303)
    expect((await eve.post(`/files/${file?.id}/delete`)).status).toBe(404)

    await sql`update file set expires_at = now() where id = ${file?.id ?? ''}`
    expect((await ada.get(path)).status).toBe(410)
    expect((await eve.get(path)).status).toBe(404)
    await sql`update file set expires_at = now() + interval '1 day' where id = ${file?.id ?? ''}`
    await (await site.bucket()).delete(file?.object_key ?? '')
    expect((await ada.get(path)).status).toBe(404)
  })
})

test('deleting waits for the task that needs the file, and then leaves nothing', async () => {
  const fileId = await ada.upload('one')
  const taskId = await ada.submit(fileId)
  await ada.waitFor(taskId, 'succeeded')
  await sql`insert into task_input_pin (task_id, file_id) values (${taskId}, ${fileId})`
  expect((await ada.post(`/files/${fileId}/delete`)).status).toBe(409)
  await sql`delete from task_input_pin where task_id = ${taskId}`
  expect((await ada.post(`/files/${fileId}/delete`)).status).toBe(303)
  expect((await ada.post(`/files/${fileId}/delete`)).status).toBe(404)
  const left = await rows()
  expect(left).toHaveLength(1)
  const { objects } = await (await site.bucket()).list()
  expect(objects.map(({ key }) => key)).toContain(left[0]?.object_key)
  await books()
})

const BOUNDARY = 'boundary-7'
const part = (name: string, content: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${content}\r\n`

/** An upload of Ada's as no browser sends it; answers what came back by then. */
function rawUpload(
  headers: Record<string, string>,
  body: string,
  { breakOff = false, end = false }: { breakOff?: boolean; end?: boolean } = {},
): Promise<string> {
  const address = new URL(site.address)
  const lines = Object.entries({
    host: address.host,
    origin: site.origin,
    cookie: ada.cookie,
    connection: 'close',
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    'content-length': String(body.length),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(address.port), address.hostname, () => {
      socket.write(`POST /files HTTP/1.1\r\n${lines.join('')}\r\n${body}`, () => {
        if (breakOff) socket.destroy()
        else if (end) socket.end()
      })
    })
    socket.on('data', (data) => (answer += data.toString()))
    socket.on('close', () => resolve(answer))
    socket.on('error', (error) => (breakOff ? resolve(answer) : reject(error)))
  })
}
