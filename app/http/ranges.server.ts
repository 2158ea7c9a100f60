/** A part of a file: where it starts and how many bytes it has. */
export interface ByteRange {
  offset: number
  length: number
}

/**
 * The one range that a `Range` header asks for (RFC 9110, section 14). Null: there is none that we honour (no header,
 * another unit, several ranges, bad syntax), and the whole file is the right answer. `unsatisfiable`: 416.
 */
export function parseRange(header: string | null, size: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '')
  if (!match) return null
  const [first, last] = [match[1] ?? '', match[2] ?? '']
  if (first === '' && last === '') return null
  if (first === '') {
    const length = Math.min(Number(last), size)
    if (Number(last) === 0) return 'unsatisfiable'
    // An empty file has no part that could be named: its whole is what was asked for.
    return length === 0 ? null : { offset: size - length, length }
  }
  const offset = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < offset) return null
  if (offset >= size) return 'unsatisfiable'
  return { offset, length: end - offset + 1 }
}
