import { randomUUID } from 'node:crypto'
import { unzipSync } from 'fflate'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { linksIn, textIn } from '../scripts/site/page-reading.mjs'
import type { Sql } from '~/db/client.server'
import { testDatabase } from '~/testing/database'
import { refuseClaims } from '~/testing/holds'
import { signUp, type Person } from '~/testing/person'
import { testSite } from '~/testing/site'

const database = testDatabase()
const site = testSite(database)

let sql: Sql
let ada: Person
let eve: Person
beforeAll(async () => {
  sql = database.connect().$client
  eve = await signUp(site)
})
beforeEach(async () => {
  await sql`delete from rate_limit`
  ada = await signUp(site)
})

const chosen = (fileIds: string[]) => new URLSearchParams(fileIds.map((id) => ['fileId', id]))
const zip = (fileIds: string[], options = {}) => ada.send(`/files/download?${chosen(fileIds)}`, options)
const deleteAll = (fileIds: string[]) => ada.send('/files/delete', { method: 'POST', body: chosen(fileIds) })
const expire = (fileId: string) => sql`update file set expires_at = now() where id = ${fileId}`
const stored = async () =>
  (
    await sql<{ name: string }[]>`
      select f.name from file f join "user" u on u.id = f.user_id
       where u.email = ${ada.email} and f.state = 'ready' order by f.created_at, f.id`
  ).map(({ name }) => name)

let refusing: Promise<unknown> | null = null

/** A file with a task that needs it and doesn't come to its end. */
async function fileInUse(name: string) {
  refusing ??= refuseClaims(sql)
  await refusing
  const fileId = await ada.upload('used', name)
  return { fileId, taskId: await ada.submit(fileId) }
}

describe('the page of a file', () => {
  test('shows its text, and never a character that would be obeyed', async () => {
    const fileId = await ada.upload(Buffer.from('a\0b\u202ec\r\n<script>\xff', 'latin1'), 'a.txt')
    const hostile = await ada.upload('one\u202etwo\u0007', 'annual\u202etxt.exe.txt')
    const first = await ada.get(`/files/${fileId}`)
    const page = await first.text()
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
    expect(page).toContain('&lt;script&gt;⟨FF⟩</pre>')
    const second = await (await ada.get(`/files/${hostile}`)).text()
    expect(second).toContain('one⟨U+202E⟩two␇</pre>')
    expect(second).toContain('<title>annual⟨U+202E⟩txt.exe.txt · Millrace</title>')
    const markup = second.replace(/<script[\s\S]*?<\/script>/g, '')
    expect(markup).not.toMatch(/[\u202e\u0007]/)
  })

  test('is nobody else’s, and says of what was there that it has expired', async () => {
    const fileId = await ada.upload('one')
    const statuses = async (path: string) => [(await ada.get(path)).status, (await eve.get(path)).status]
    expect(await statuses(`/files/${fileId}`)).toEqual([200, 404])
    await expire(fileId)
    expect(await statuses(`/files/${fileId}`)).toEqual([410, 404])
    expect(await (await ada.get(`/files/${fileId}`)).text()).toContain('This file has expired.')
    await ada.post(`/files/${fileId}/delete`)
    expect(await statuses(`/files/${fileId}`)).toEqual([404, 404])
    expect(await (await ada.get(`/files/${fileId}`)).text()).toContain('isn’t there any more')
    expect((await ada.get('/files/no-id')).status).toBe(404)
  })

  test('of a result leads to its task, and says so when the result is gone', async () => {
    const taskId = await ada.submit(await ada.upload('one\r\n'))
    await ada.waitFor(taskId, 'succeeded')
    const [result] = await sql<{ id: string }[]>`select result_file_id as id from task where id = ${taskId}`
    const path = `/files/${result?.id}`
    expect(linksIn(await (await ada.get(path)).text())).toContain(`/tasks/${taskId}`)
    expect(linksIn(await (await ada.get('/files')).text())).toContain(`/tasks/${taskId}`)
    await ada.post(`${path}/delete`)
    for (const gone of [path, `${path}/download`]) {
      const response = await ada.get(gone)
      expect([response.status, await response.text()]).toEqual([
        410,
        expect.stringContaining('The result of this task has expired or was deleted.'),
      ])
      expect((await eve.get(gone)).status).toBe(404)
    }
  })
})

describe('the list', () => {
  test('is narrowed by name, keeps what is searched in its pages, and takes anything as a search', async () => {
    for (let each = 0; each < 22; each++) await ada.upload('x', `Report ${each}.txt`)
    await ada.upload('x', 'other.txt')
    const first = await (await ada.get('/files?q=rePORT')).text()
    expect(first).not.toContain('other.txt')
    const older = linksIn(first).find((href) => href.includes('after=')) ?? ''
    expect(older).toContain('q=rePORT')
    const second = await (await ada.get(older.replaceAll('&amp;', '&'))).text()
    expect(textIn(second).match(/Choose Report/g)).toHaveLength(2)
    for (const odd of ['%00', '%', '%ff', '\\', '%F0%9F', 'x'.repeat(5000)])
      expect((await ada.get(`/files?q=${odd}`)).status).toBe(200)
    expect((await ada.get('/files?q=x&after=broken')).status).toBe(400)
  })
})

describe('deleting several files', () => {
  test('asks first and names them, also what can’t be deleted', async () => {
    const { fileId: used, taskId } = await fileInUse('used.txt')
    const free = await ada.upload('x', 'free.txt')
    const response = await ada.get(`/files/delete?${chosen([used, free, randomUUID()])}`)
    const page = await response.text()
    expect(response.status).toBe(200)
    for (const text of ['Delete 1 file?', 'used.txt', 'free.txt', '1 chosen file isn’t there any more'])
      expect(textIn(page)).toContain(text)
    expect(linksIn(page)).toContain(`/tasks/${taskId}`)
    expect(page.match(/name="fileId" value="[^"]+"/g)).toEqual([`name="fileId" value="${free}"`])
    expect(await stored()).toHaveLength(2)
  })

  test('deletes each by itself and says what became of each; somebody else’s is not found', async () => {
    const { fileId: used, taskId } = await fileInUse('used.txt')
    const free = await ada.upload('x', 'free.txt')
    const foreign = await eve.upload('secret', 'secret.txt')
    const response = await deleteAll([foreign, used, free])
    const page = await response.text()
    expect(response.status).toBe(404)
    for (const text of ['1 of 3 files were deleted', 'A file', 'used.txt', 'free.txt'])
      expect(page).toContain(text)
    expect(page).not.toContain('secret.txt')
    expect(linksIn(page)).toContain(`/tasks/${taskId}`)
    expect(page).toMatch(/>[^<]+ of used\.txt \((queued|waiting)\)</)
    expect(await stored()).toEqual(['used.txt'])
    expect((await eve.get(`/files/${foreign}`)).status).toBe(200)
  })

  test('leads back to the list when all are deleted, an id given twice counting once', async () => {
    const fileIds = [await ada.upload('x'), await ada.upload('y')]
    const response = await deleteAll([...fileIds, fileIds[0] ?? ''])
    expect([response.status, response.headers.get('location')]).toEqual([303, '/files'])
    expect(await stored()).toEqual([])
    const [limit] = await sql<{ count: number }[]>`select count from rate_limit where scope = 'files.write'`
    expect(limit?.count).toBe(4)
  })

  test('is refused whole beyond the limit of a minute, without any, with too many and with what is no id', async () => {
    const fileIds = [await ada.upload('x'), await ada.upload('y')]
    for (const wrong of [[], ['x'], Array.from({ length: 51 }, () => randomUUID())])
      expect((await deleteAll(wrong)).status).toBe(400)
    await sql`delete from rate_limit`
    await sql`insert into rate_limit (scope, subject, window_start, count)
      select 'files.write', id, date_trunc('minute', clock_timestamp()) + interval '1 minute', 59
        from "user" where email = ${ada.email}`
    const response = await deleteAll(fileIds)
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60'])
    expect(await stored()).toHaveLength(2)
  })

  test('one that is in use is refused with the task that needs it, by name', async () => {
    const { fileId, taskId } = await fileInUse('used.txt')
    const response = await ada.post(`/files/${fileId}/delete`)
    const page = await response.text()
    expect(response.status).toBe(409)
    expect(page).toContain('An unfinished task needs this file')
    expect(linksIn(page)).toContain(`/tasks/${taskId}`)
  })
})

describe('several files as a ZIP', () => {
  test('have their bytes under distinct names, and the headers of a download', async () => {
    const large = Buffer.alloc(3_000_000, 'line of text\n')
    const fileIds = [await ada.upload('one', 'notes.txt'), await ada.upload(large, 'notes.txt')]
    const response = await zip(fileIds)
    const bytes = new Uint8Array(await response.arrayBuffer())
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-disposition': `attachment; filename="files.zip"; filename*=UTF-8''files.zip`,
      'content-type': 'application/zip',
      'content-length': String(bytes.length),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-store',
    })
    const entries = unzipSync(bytes)
    expect(Object.keys(entries)).toEqual(['notes.txt', 'notes (2).txt'])
    expect(Buffer.from(entries['notes.txt'] ?? []).toString()).toBe('one')
    expect(Buffer.from(entries['notes (2).txt'] ?? []).equals(large)).toBe(true)
    const head = await zip(fileIds, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(bytes.length),
      '',
    ])
  })

  test('are all or none, and the answer says what is missing', async () => {
    const there = await ada.upload('one', 'there.txt')
    const expired = await ada.upload('two', 'a&b.txt')
    const foreign = await eve.upload('secret', 'secret.txt')
    await expire(expired)
    const refusal = async (fileIds: string[]) => {
      const response = await zip(fileIds)
      return [response.status, await response.text()]
    }
    expect(await refusal([there, expired])).toEqual([
      410,
      expect.stringContaining('1 of 2 files: a&#38;b.txt.'),
    ])
    const [status, page] = await refusal([there, foreign, randomUUID()])
    expect([status, page]).toEqual([404, expect.stringContaining('2 of 3 files.')])
    expect(page).not.toContain('secret.txt')
    const [file] = await sql<{ object_key: string }[]>`select object_key from file where id = ${there}`
    await (await site.bucket()).delete(file?.object_key ?? '')
    expect(await refusal([there])).toEqual([404, expect.stringContaining('there.txt')])
    for (const wrong of [[], ['x'], Array.from({ length: 51 }, () => randomUUID())])
      expect((await zip(wrong)).status).toBe(400)
  })

  test('count as as many reads as there are files', async () => {
    const fileIds = [await ada.upload('one'), await ada.upload('two')]
    await sql`delete from rate_limit`
    await (await zip(fileIds)).arrayBuffer()
    const [limit] = await sql<{ count: number }[]>`select count from rate_limit where scope = 'tasks.read'`
    expect(limit?.count).toBe(2)
  })

  test('break off when a file goes away meanwhile, and are no shorter archive', async () => {
    const large = Buffer.alloc(9_000_000, 'line of text\n')
    const fileIds = [await ada.upload(large, 'a.txt'), await ada.upload(large, 'b.txt')]
    const [second] = await sql<
      { object_key: string }[]
    >`select object_key from file where id = ${fileIds[1] ?? ''}`
    const response = await zip(fileIds)
    expect(response.status).toBe(200)
    // The network holds less than the first file: the second isn't opened before it is read.
    await (await site.bucket()).delete(second?.object_key ?? '')
    await expect(response.arrayBuffer()).rejects.toThrow()
  })
})
