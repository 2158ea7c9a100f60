import { beforeAll, describe, expect, it } from 'vitest'
import { PREVIEW_BYTES } from '../config/limits'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createFile, createUser } from '../testing/factories'
import { decodeStart, readPreview, type Preview } from './preview.server'
import { findDownload } from './queries.server'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const utf16 = (text: string, { bigEndian = false } = {}) => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
  return new Uint8Array(bigEndian ? bytes.swap16() : bytes)
}
/** The pieces with bytes as a list, and how much they stand for. */
const read = ({ pieces, shownBytes }: Preview) => [
  ...pieces.map((piece) => (typeof piece === 'string' ? piece : [...piece])),
  shownBytes,
]

describe('the text that a file begins with', () => {
  const whole = (bytes: Uint8Array | number[]) => read(decodeStart(Uint8Array.from(bytes), { whole: true }))

  it.each<[string, number[] | Uint8Array, unknown[]]>([
    ['nothing', [], [0]],
    ['text in any script', bytesOf('a ü 六 🧑‍🚀'), ['a ü 六 🧑‍🚀', 20]],
    ['the replacement character itself', bytesOf('\ufffd'), ['\ufffd', 3]],
    ['a byte order mark', bytesOf('\ufeffa'), ['a', 4]],
    ['a second byte order mark', bytesOf('\ufeff\ufeffa'), ['\ufeffa', 7]],
    ['NUL', [0x61, 0, 0x62], ['a\0b', 3]],
    ['Latin-1', [0x61, 0xe9, 0x62], ['a', [0xe9], 'b', 3]],
    ['a byte that begins nothing', [0xff, 0x61], [[0xff], 'a', 2]],
    ['a continuation without a beginning', [0x80, 0xbf, 0x61], [[0x80, 0xbf], 'a', 3]],
    ['a slash in a longer form than needed', [0xc0, 0xaf], [[0xc0, 0xaf], 2]],
    ['a longer form of three bytes', [0xe0, 0x80, 0xaf], [[0xe0, 0x80, 0xaf], 3]],
    ['half of a pair', [0xed, 0xa0, 0x80], [[0xed, 0xa0, 0x80], 3]],
    ['what is beyond the last character', [0xf4, 0x90, 0x80, 0x80], [[0xf4, 0x90, 0x80, 0x80], 4]],
    ['the last character', [0xf4, 0x8f, 0xbf, 0xbf], ['\u{10ffff}', 4]],
    ['a character that breaks off', [0x61, 0xe2, 0x82], ['a', [0xe2, 0x82], 3]],
    ['one that breaks off before another', [0xe2, 0x82, 0x61], [[0xe2, 0x82], 'a', 3]],
    ['every kind of line end', bytesOf('a\r\nb\nc\r'), ['a\r\nb\nc\r', 7]],
    ['UTF-16, little end first', utf16('aü🧑'), ['aü🧑', 10]],
    ['UTF-16, big end first', utf16('aü🧑', { bigEndian: true }), ['aü🧑', 10]],
    ['UTF-16 with half a pair', [0xff, 0xfe, 0x61, 0, 0x00, 0xd8, 0x62, 0], ['a', [0x00, 0xd8], 'b', 8]],
    ['UTF-16 with half a character', [0xff, 0xfe, 0x61, 0, 0x62], ['a', [0x62], 5]],
    ['UTF-16 with nothing', [0xff, 0xfe], [2]],
  ])('that has %s', (_, bytes, expected) => {
    expect(whole(bytes)).toEqual(expected)
  })

  it.each<[string, number[] | Uint8Array, unknown[]]>([
    ['a character', [0x61, 0xf0, 0x9f, 0xa7], ['a', 1]],
    ['the second byte of one', [0x61, 0xc3], ['a', 1]],
    ['a CR LF', bytesOf('a\r'), ['a', 1]],
    ['nothing', bytesOf('aü'), ['aü', 3]],
    ['what is no character anyway', [0x61, 0xe2, 0x28], ['a', [0xe2], '(', 3]],
    ['a pair of UTF-16', [0xff, 0xfe, 0x61, 0, 0x3e, 0xd8], ['a', 4]],
    ['a character of UTF-16', [0xff, 0xfe, 0x61, 0, 0x62], ['a', 4]],
    ['a CR LF of UTF-16', [0xff, 0xfe, 0x61, 0, 0x0d, 0], ['a', 4]],
    ['a byte order mark of UTF-16', [0xff, 0xfe], [2]],
  ])('where the file goes on in the middle of %s', (_, bytes, expected) => {
    expect(read(decodeStart(Uint8Array.from(bytes), { whole: false }))).toEqual(expected)
  })

  it('is never changed: all pieces together are the bytes', () => {
    let seed = 7
    const random = () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31
    const parts = [...'aü六🧑\r\n\0'].map(bytesOf).concat([Uint8Array.of(0xe2), Uint8Array.of(0x80, 0xff)])
    for (let each = 0; each < 500; each++) {
      const bytes = Buffer.concat(
        Array.from({ length: 12 }, () => parts[Math.floor(random() * parts.length)] ?? bytesOf('')),
      )
      const { pieces } = decodeStart(bytes, { whole: true })
      const together = pieces.map((piece) => (typeof piece === 'string' ? bytesOf(piece) : piece))
      expect(Buffer.concat(together).equals(bytes)).toBe(true)
    }
  })
})

describe('a preview', () => {
  const database = testDatabase()
  let ctx: TestContext
  let userId: string
  beforeAll(async () => {
    ctx = await testContext(database)
    userId = (await createUser(ctx)).id
  })

  async function preview(bytes: Uint8Array) {
    const { id } = await createFile(ctx, { userId, bytes })
    const file = await findDownload(ctx, { userId, fileId: id })
    if (typeof file === 'string') throw new Error(file)
    return readPreview(ctx, file)
  }

  it('of a small file is all of it', async () => {
    expect(await preview(bytesOf('one\n'))).toMatchObject({ pieces: ['one\n'], shownBytes: 4 })
  })

  it('of exactly 64 KiB is all of it', async () => {
    const bytes = bytesOf(`${'a'.repeat(PREVIEW_BYTES - 1)}\r`)
    expect(await preview(bytes)).toMatchObject({ shownBytes: PREVIEW_BYTES })
  })

  it('of one long line reads the first 64 KiB and no more, and cuts no character', async () => {
    const asked: unknown[] = []
    const storage = ctx.storage
    if (!storage) throw new Error('no storage')
    const watched = new Proxy(storage, {
      get: (target, name) =>
        name === 'get'
          ? (key: string, options: R2GetOptions) => {
              asked.push(options)
              return target.get(key, options)
            }
          : (Reflect.get(target, name) as unknown),
    })
    const { id } = await createFile(ctx, { userId, bytes: bytesOf(`x${'六'.repeat(1_000_000)}`) })
    const file = await findDownload(ctx, { userId, fileId: id })
    if (typeof file === 'string') throw new Error(file)
    const shown = await readPreview({ ...ctx, storage: watched }, file)
    expect(asked).toEqual([{ range: { offset: 0, length: 65_536 } }])
    // 65,536 = 1 + 21,845 × 3: the cut falls between two characters here, and inside one with another start.
    expect(shown).toMatchObject({ pieces: [`x${'六'.repeat(21_845)}`], shownBytes: 65_536 })
    expect(await preview(bytesOf(`xy${'六'.repeat(30_000)}`))).toMatchObject({
      pieces: [`xy${'六'.repeat(21_844)}`],
      shownBytes: 65_534,
    })
  })

  it('of an object that is gone or another is none, and is logged', async () => {
    const broken = await createFile(ctx, { userId })
    const file = await findDownload(ctx, { userId, fileId: broken.id })
    if (typeof file === 'string') throw new Error(file)
    await ctx.storage?.put(broken.objectKey, 'shorter')
    expect(await readPreview(ctx, file)).toBeNull()
    await ctx.storage?.delete(broken.objectKey)
    expect(await readPreview(ctx, file)).toBeNull()
    expect(ctx.logged.at(-1)).toMatchObject({
      event: 'download.object_missing',
      fields: { fileId: broken.id },
    })
  })

  it('of an empty result is empty', async () => {
    const { id, objectKey } = await createFile(ctx, { userId })
    const file = await findDownload(ctx, { userId, fileId: id })
    if (typeof file === 'string') throw new Error(file)
    await ctx.storage?.put(objectKey, '')
    expect(await readPreview(ctx, { ...file, size: 0 })).toMatchObject({ pieces: [], shownBytes: 0 })
  })
})
