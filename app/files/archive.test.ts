import { unzipSync } from 'fflate'
import { beforeAll, describe, expect, it } from 'vitest'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createFile, createUser } from '../testing/factories'
import { archiveNames, openArchive, type Archive } from './archive.server'
import { findFiles, type ReadableFile } from './queries.server'

const CREATED = new Date('2026-03-01T12:00:00Z')

describe('names in an archive', () => {
  it.each([
    [
      ['notes.txt', 'notes.txt', 'NOTES.TXT'],
      ['notes.txt', 'notes (2).txt', 'NOTES (3).TXT'],
    ],
    [
      ['a.txt', 'a (2).txt', 'a.txt'],
      ['a.txt', 'a (2).txt', 'a (3).txt'],
    ],
    [
      ['README', 'README', '.profile', '.profile'],
      ['README', 'README (2)', '.profile', '.profile (2)'],
    ],
    [
      ['annual\u202etxt.exe', 'annualtxt.exe'],
      ['annualtxt.exe', 'annualtxt (2).exe'],
    ],
    [
      ['../../etc/passwd', '..\\evil.txt', '/root.txt'],
      ['passwd', 'evil.txt', 'root.txt'],
    ],
    [
      ['.\u202e.', '\u200b', 'a\u2066/b.txt'],
      ['file', 'file (2)', 'b.txt'],
    ],
    [
      ['報告.txt', 'Überblick.txt'],
      ['報告.txt', 'Überblick.txt'],
    ],
  ])('of %j are %j', (names, expected) => {
    expect(archiveNames(names)).toEqual(expected)
  })
})

describe('an archive', () => {
  const database = testDatabase()
  let ctx: TestContext
  let userId: string
  beforeAll(async () => {
    ctx = await testContext(database, { clock: { now: CREATED } })
    userId = (await createUser(ctx)).id
  })

  async function stored(contents: [name: string, bytes: Uint8Array][]): Promise<ReadableFile[]> {
    const fileIds: string[] = []
    for (const [name, bytes] of contents) {
      fileIds.push((await createFile(ctx, { userId, name, bytes })).id)
    }
    return (await findFiles(ctx, { userId, fileIds })).flatMap((found) => ('file' in found ? found.file : []))
  }
  async function open(files: ReadableFile[], storage = ctx.storage): Promise<Archive> {
    const archive = await openArchive({ ...ctx, storage }, files)
    if ('missing' in archive) throw new Error('an object is missing')
    return archive
  }
  const bytesOf = async ({ stream }: Archive) => new Uint8Array(await new Response(stream).arrayBuffer())

  it('has every file under its name, as long as it says, the same at every time', async () => {
    const large = new Uint8Array(300_000).map((_, index) => index % 251)
    const files = await stored([
      ['Überblick.txt', new TextEncoder().encode('one\r\n')],
      ['large.txt', large],
      ['large.txt', new TextEncoder().encode('other')],
    ])
    const archive = await open(files)
    const bytes = await bytesOf(archive)
    expect(bytes.length).toBe(archive.length)
    const entries = unzipSync(bytes)
    expect(Object.keys(entries)).toEqual(['Überblick.txt', 'large.txt', 'large (2).txt'])
    expect(Buffer.from(entries['large.txt'] ?? []).equals(Buffer.from(large))).toBe(true)
    expect(Buffer.from(entries['Überblick.txt'] ?? []).toString()).toBe('one\r\n')
    expect(Buffer.from(entries['large (2).txt'] ?? []).toString()).toBe('other')
    expect(Buffer.from(await bytesOf(await open(files))).equals(Buffer.from(bytes))).toBe(true)
  })

  it('opens one file after the other, when it is read', async () => {
    const files = await stored([
      ['a.txt', new Uint8Array(200_000).fill(97)],
      ['b.txt', new Uint8Array(200_000).fill(98)],
    ])
    const opened: string[] = []
    const real = ctx.storage
    if (!real) throw new Error('no storage')
    const watched = new Proxy(real, {
      get: (target, name) =>
        name === 'get'
          ? (key: string) => {
              opened.push(key)
              return target.get(key)
            }
          : (Reflect.get(target, name) as unknown),
    })
    const { stream } = await open(files, watched)
    const reader = stream.getReader()
    for (let bytes = 0; bytes < 100_000;) {
      const { value } = await reader.read()
      if (!value) throw new Error('the archive ended early')
      bytes += value.length
    }
    expect(opened).toEqual([files[0]?.objectKey])
    await reader.cancel()
  })

  it('is none when an object isn’t there, and names the file', async () => {
    const files = await stored([
      ['a.txt', Uint8Array.of(97)],
      ['gone.txt', Uint8Array.of(98)],
    ])
    await ctx.storage?.delete(files[1]?.objectKey ?? '')
    expect(await openArchive(ctx, files)).toMatchObject({ missing: [{ id: files[1]?.id, name: 'gone.txt' }] })
  })

  it.each(['goes away', 'becomes another'])('fails when an object %s while it is read', async (what) => {
    const files = await stored([
      ['a.txt', Uint8Array.of(97)],
      ['b.txt', Uint8Array.of(98)],
    ])
    const archive = await open(files)
    const key = files[1]?.objectKey ?? ''
    await (what === 'goes away' ? ctx.storage?.delete(key) : ctx.storage?.put(key, 'another'))
    await expect(bytesOf(archive)).rejects.toThrow('went away')
  })
})
