import { beforeAll, describe, expect, it } from 'vitest'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createFile, createUser, type CreatedFile } from '../testing/factories'
import { downloadResponse } from './download.server'
import { findDownload } from '../files/queries.server'

const database = testDatabase()
let ctx: TestContext
let userId: string
let file: CreatedFile

beforeAll(async () => {
  ctx = await testContext(database)
  userId = (await createUser(ctx)).id
  file = await createFile(ctx, { userId, name: 'Résumé.txt', bytes: new TextEncoder().encode('0123456789') })
})

async function download(
  headers: Record<string, string> = {},
  { method = 'GET', fileId = file.id }: { method?: string; fileId?: string } = {},
): Promise<Response> {
  const found = await findDownload(ctx, { userId, fileId })
  if (typeof found === 'string') throw new Error(found)
  const response = await downloadResponse(
    ctx,
    found,
    new Request('https://millrace.test/x', { method, headers }),
  )
  if (!response) throw new Error('no object')
  return response
}

const etag = async () => (await download()).headers.get('ETag') ?? ''

describe('a download', () => {
  it('has the bytes, and headers that let it do nothing but be saved', async () => {
    const response = await download()
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('0123456789')
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-disposition': `attachment; filename="R_sum_.txt"; filename*=UTF-8''R%C3%A9sum%C3%A9.txt`,
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '10',
      'content-encoding': 'identity',
      etag: expect.stringMatching(/^"[0-9a-f]{24}"$/),
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-store',
    })
  })

  it('tells neither digest, id nor key, and each file has a tag of its own', async () => {
    const same = await createFile(ctx, { userId, bytes: file.bytes })
    const all = [...(await download()).headers.values()].join(' ')
    for (const secret of [file.sha256.slice(0, 12), file.id, file.objectKey])
      expect(all).not.toContain(secret)
    expect((await download({}, { fileId: same.id })).headers.get('ETag')).not.toBe(await etag())
  })

  it.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=8-', '89', 'bytes 8-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=5-500', '56789', 'bytes 5-9/10'],
  ])('of the part %s', async (range, text, contentRange) => {
    const response = await download({ Range: range })
    expect(response.status).toBe(206)
    expect(response.headers.get('Content-Range')).toBe(contentRange)
    expect(response.headers.get('Content-Length')).toBe(String(text.length))
    expect(await response.text()).toBe(text)
  })

  it('of a part that isn’t there says how long it is', async () => {
    const response = await download({ Range: 'bytes=10-' })
    expect(response.status).toBe(416)
    expect(response.headers.get('Content-Range')).toBe('bytes */10')
    expect(await response.text()).toBe('')
  })

  it.each(['bytes=0-1,3-4', 'lines=1-2', 'bytes=9-1'])('of %j is the whole file', async (range) => {
    const response = await download({ Range: range })
    expect([response.status, await response.text()]).toEqual([200, '0123456789'])
  })

  it('goes on where it stopped only if the file is still the same', async () => {
    const range = { Range: 'bytes=5-' }
    expect((await download({ ...range, 'If-Range': await etag() })).status).toBe(206)
    expect((await download({ ...range, 'If-Range': '"other"' })).status).toBe(200)
    expect((await download({ ...range, 'If-Range': `W/${await etag()}` })).status).toBe(200)
    expect((await download({ ...range, 'If-Range': new Date().toUTCString() })).status).toBe(200)
  })

  it('that the asker has already is not sent again', async () => {
    for (const tags of [await etag(), `W/${await etag()}`, `"other", ${await etag()}`, '*']) {
      const response = await download({ 'If-None-Match': tags, Range: 'bytes=0-1' })
      expect([response.status, await response.text()]).toEqual([304, ''])
      expect(response.headers.get('ETag')).toBe(await etag())
    }
    expect((await download({ 'If-None-Match': '"other"' })).status).toBe(200)
  })

  it('is given only if it is the one that was wanted', async () => {
    for (const tags of [await etag(), `"other", ${await etag()}`, '*'])
      expect((await download({ 'If-Match': tags })).status).toBe(200)
    for (const tags of ['"other"', `W/${await etag()}`])
      expect((await download({ 'If-Match': tags, Range: 'bytes=0-1' })).status).toBe(412)
  })

  it('without content says nothing about the content', async () => {
    const asked = [
      ['If-None-Match', '*'],
      ['If-Match', '"other"'],
      ['Range', 'bytes=10-'],
    ] as const
    for (const [name, value] of asked) {
      const response = await download({ [name]: value })
      const names = [...response.headers.keys()]
      expect(names).not.toContain('content-type')
      expect(names).not.toContain('content-disposition')
      expect(response.headers.get('Cache-Control')).toBe('private, no-store')
    }
  })

  it('asked for by HEAD has the same headers and no body, and knows no parts', async () => {
    const response = await download({ Range: 'bytes=0-1' }, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(Object.fromEntries(response.headers)).toEqual(Object.fromEntries((await download()).headers))
  })

  it('of an empty result is empty', async () => {
    const { objectKey } = file
    const empty = {
      id: file.id,
      name: 'empty.txt',
      type: 'text/plain',
      size: 0,
      objectKey: `${objectKey}-empty`,
    }
    await ctx.storage?.put(empty.objectKey, new Uint8Array())
    const ask = (headers: Record<string, string>) =>
      downloadResponse(ctx, empty, new Request('https://millrace.test/x', { headers }))
    const whole = await ask({})
    expect([whole?.status, whole?.headers.get('Content-Length'), await whole?.text()]).toEqual([200, '0', ''])
    expect((await ask({ Range: 'bytes=0-' }))?.status).toBe(416)
    expect((await ask({ Range: 'bytes=-5' }))?.status).toBe(200)
  })

  it.each(['GET', 'HEAD'])(
    'of an object that is gone or another is none for %s, and is logged',
    async (method) => {
      const broken = await createFile(ctx, { userId })
      const found = await findDownload(ctx, { userId, fileId: broken.id })
      if (typeof found === 'string') throw new Error(found)
      const ask = () => downloadResponse(ctx, found, new Request('https://millrace.test/x', { method }))
      await ctx.storage?.put(broken.objectKey, 'shorter')
      expect(await ask()).toBeNull()
      await ctx.storage?.delete(broken.objectKey)
      expect(await ask()).toBeNull()
      expect(ctx.logged.at(-1)).toMatchObject({
        event: 'download.object_missing',
        fields: { fileId: broken.id },
      })
    },
  )
})
