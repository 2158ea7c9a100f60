import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BrokenBody } from './body.server'
import { multipartBoundary, readMultipart } from './multipart.server'

const BOUNDARY = '----WebKitFormBoundaryQ7'

interface Part {
  name: string
  fileName: string | null
  content: string
}

async function read(
  body: string | Uint8Array,
  { cuts = [], maxParts = 100 }: { cuts?: number[]; maxParts?: number } = {},
) {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  async function* blocks() {
    let from = 0
    for (const cut of [
      ...cuts.map((each) => each % (bytes.length + 1)).sort((a, b) => a - b),
      bytes.length,
    ]) {
      yield await Promise.resolve(bytes.slice(from, cut))
      from = cut
    }
  }
  const parts: Part[] = []
  let whole = 0
  for await (const event of readMultipart(blocks(), BOUNDARY, maxParts)) {
    const last = parts.at(-1)
    if (event.kind === 'part') parts.push({ name: event.name, fileName: event.fileName, content: '' })
    else if (event.kind === 'end') whole += 1
    else if (last) last.content += String.fromCharCode(...event.bytes)
  }
  expect(whole).toBe(parts.length)
  return parts
}

const part = (disposition: string, content: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
const END = `--${BOUNDARY}--\r\n`

describe('a form with files', () => {
  it('is read the same however the network has cut it', async () => {
    const content = `\r\n--${BOUNDARY.slice(0, -1)}\r\n-\r\r\n--\r\n`
    const form =
      part('name="requestKey"', 'k') +
      part('name="file"; filename="a.txt"', content) +
      part('name="x"', '') +
      END
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 12 }), async (cuts) => {
        expect(await read(form, { cuts })).toEqual([
          { name: 'requestKey', fileName: null, content: 'k' },
          { name: 'file', fileName: 'a.txt', content },
          { name: 'x', fileName: null, content: '' },
        ])
      }),
    )
    const everywhere = Array.from({ length: form.length }, (_, at) => at)
    expect(await read(form, { cuts: everywhere })).toHaveLength(3)
  })

  it('keeps any bytes as they are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.array(fc.nat(), { maxLength: 5 }),
        async (bytes, cuts) => {
          const encoder = new TextEncoder()
          const [before, after] = [part('name="file"; filename="a"', '').slice(0, -2), `\r\n${END}`]
          const form = Uint8Array.from([...encoder.encode(before), ...bytes, ...encoder.encode(after)])
          expect(await read(form, { cuts })).toEqual([
            { name: 'file', fileName: 'a', content: String.fromCharCode(...bytes) },
          ])
        },
      ),
    )
  })

  it.each([
    ['filename="a\\"b.txt"', 'a"b.txt'],
    ['filename="a%22b%0D%0Ac.txt"', 'a"b  c.txt'],
    ['filename="C:\\dir\\a.txt"', 'C:\\dir\\a.txt'],
    ['filename="ends with \\"', 'ends with \\'],
    ['filename="日本 é 🌊.txt"', '日本 é 🌊.txt'],
    ['filename=plain.txt', 'plain.txt'],
    ['filename=""', ''],
    ['filename="_.txt"; filename*=utf-8\'\'%E6%97%A5.txt', '日.txt'],
    ['filename="a.txt"; filename*=utf-8\'\'%E6%9', 'a.txt'],
    ['filename="a; name=evil.txt"', 'a; name=evil.txt'],
  ])('has the file name of %s', async (disposition, fileName) => {
    const [only] = await read(part(`name="file"; ${disposition}`, 'x') + END)
    expect(only).toEqual({ name: 'file', fileName, content: 'x' })
  })

  it('may go on after its end', async () => {
    expect(await read(part('name="a"', '1') + END + 'epilogue')).toHaveLength(1)
    expect(await read(part('name="a"', '1') + END, { cuts: [10_000, END.length] })).toHaveLength(1)
    expect(await read(END)).toEqual([])
  })

  it.each([
    ['nothing at all', ''],
    ['something before the boundary', `x${part('name="a"', '1')}${END}`],
    ['another boundary', part('name="a"', '1').replaceAll(BOUNDARY, 'other') + END],
    ['no end', part('name="a"', '1')],
    ['an end that is cut off', part('name="a"', '1') + END.slice(0, -3)],
    ['a part that is cut off', part('name="a"', '1').slice(0, -2)],
    ['headers without an end', `--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"`],
    ['endless headers', `--${BOUNDARY}\r\n${'X-Padding: 1\r\n'.repeat(2000)}\r\n1\r\n${END}`],
    ['a part without headers', `--${BOUNDARY}\r\n\r\n1\r\n${END}`],
    ['a part without a name', part('filename="a.txt"', '1') + END],
    ['an empty name', part('name=""', '1') + END],
    ['a boundary that goes on', part('name="a"', '1').replace(BOUNDARY, `${BOUNDARY}X`) + END],
    ['thousands of parts', part('name="a"', '1').repeat(5000) + END],
  ])('is refused with %s', async (_, form) => {
    await expect(read(form)).rejects.toThrow(BrokenBody)
  })

  it('is refused with a header that is no UTF-8', async () => {
    const form = new TextEncoder().encode(part('name="a"; filename="#.txt"', '1') + END)
    form[form.indexOf(35)] = 0xff
    await expect(read(form)).rejects.toThrow(BrokenBody)
  })
})

it.each([
  [`multipart/form-data; boundary=${BOUNDARY}`, BOUNDARY],
  [`Multipart/Form-Data;boundary="a b"`, 'a b'],
  [`multipart/form-data; charset=utf-8; boundary=abc; x=y`, 'abc'],
  ['multipart/form-data', null],
  ['multipart/form-data; boundary=', null],
  [`multipart/form-data; boundary=${'a'.repeat(71)}`, null],
  [`multipart/mixed; boundary=abc`, null],
  ['application/x-www-form-urlencoded; boundary=abc', null],
  [null, null],
])('the boundary in %j is %j', (contentType, boundary) => {
  expect(multipartBoundary(contentType)).toBe(boundary)
})
