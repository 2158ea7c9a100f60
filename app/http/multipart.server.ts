import { BrokenBody } from './body.server'

/**
 * Reads multipart forms as RFC 7578 and browsers write them. Not a package, because of three things that we need and found
 * in none: a part that turns out too large is passed over without being held, and the parts behind it are still read;
 * nothing depends on how the network has cut the bytes; and what follows the end may come in a piece of its own.
 */

/** Headers of one part. Browsers need some hundred bytes; a name of 200 emoji, percent-encoded, 2,400. */
const MAX_HEADER_BYTES = 8 * 1024

/** A form in the order in which it is sent. */
export type MultipartEvent =
  | { kind: 'part'; name: string; fileName: string | null }
  | { kind: 'data'; bytes: Uint8Array }
  | { kind: 'end' }

/** The boundary that a form's `Content-Type` names; null when it is no multipart form, or its boundary is none. */
export function multipartBoundary(contentType: string | null): string | null {
  const match =
    /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([\x20-\x7e]{1,70})"|([\x21-\x7e]{1,70}?))\s*(?:;|$)/i.exec(
      contentType ?? '',
    )
  return match?.[1] ?? match?.[2] ?? null
}

/**
 * The parts of a form: each begins with `part`, has any number of `data`, and is whole when its `end` comes. Holds no more
 * than one block and one part's headers. Throws `BrokenBody` for anything that is no complete form.
 */
export async function* readMultipart(
  blocks: AsyncIterable<Uint8Array>,
  boundary: string,
  maxParts: number,
): AsyncGenerator<MultipartEvent> {
  const delimiter = new TextEncoder().encode(`\r\n--${boundary}`)
  let state: 'before' | 'delimiter' | 'header' | 'data' | 'after' = 'before'
  let parts = 0
  // The first delimiter begins the body: with a line break before it, it looks like all the others.
  let rest: Uint8Array = LINE_BREAK

  for await (const block of blocks) {
    if (state === 'after') continue
    rest = joined(rest, block)
    for (let more = true; more;) {
      if (state === 'before' || state === 'data') {
        const at = indexOf(rest, delimiter)
        // Without a delimiter in it, all but what may be one's beginning is data.
        const end = at === -1 ? Math.max(rest.length - delimiter.length + 1, 0) : at
        if (state === 'before' && end > 0) throw new BrokenBody('does not begin with the boundary')
        if (state === 'data' && end > 0) yield { kind: 'data', bytes: rest.subarray(0, end) }
        more = at !== -1
        rest = rest.subarray(more ? at + delimiter.length : end)
        if (!more) continue
        if (state === 'data') yield { kind: 'end' }
        state = 'delimiter'
      } else if (state === 'delimiter') {
        more = rest.length >= 2
        if (!more) continue
        const [first, second] = [rest[0], rest[1]]
        if (first === DASH && second === DASH) {
          state = 'after'
          break
        }
        if (first !== CR || second !== LF) throw new BrokenBody('a boundary that goes on')
        // Its line break stays: so a part without any header has an end of headers as well.
        state = 'header'
      } else {
        const at = indexOf(rest, HEADER_END)
        more = at !== -1
        if ((more ? at : rest.length) > MAX_HEADER_BYTES) throw new BrokenBody('too long a header')
        if (!more) continue
        if (++parts > maxParts) throw new BrokenBody('too many parts')
        yield { kind: 'part', ...describePart(rest.subarray(0, at)) }
        rest = rest.subarray(at + HEADER_END.length)
        state = 'data'
      }
    }
  }
  if (state !== 'after') throw new BrokenBody('no end')
}

const [CR, LF, DASH] = [13, 10, 45]
const LINE_BREAK = Uint8Array.of(CR, LF)
const HEADER_END = Uint8Array.of(CR, LF, CR, LF)

/** Name and file name as a part's headers say them. Browsers write `"` as `%22`, others as `\\"`; some scripts use `filename*`. */
function describePart(header: Uint8Array): { name: string; fileName: string | null } {
  const disposition = /^content-disposition:\s*form-data\s*(;.*)$/im.exec(decoded(header))?.[1] ?? ''
  const name = parameter(disposition, 'name')
  if (!name) throw new BrokenBody('a part without a name')
  return { name, fileName: extendedFileName(disposition) ?? parameter(disposition, 'filename') }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new BrokenBody('a header that is no UTF-8')
  }
}

function parameter(disposition: string, name: 'name' | 'filename'): string | null {
  const match = new RegExp(`;\\s*${name}=(?:"((?:\\\\"|[^"])*)"|([^\\s;"]+))`, 'i').exec(disposition)
  const value = match?.[1] ?? match?.[2]
  return value === undefined ? null : value.replace(/\\"|%22/g, '"').replace(/%0d|%0a/gi, ' ')
}

function extendedFileName(disposition: string): string | null {
  const encoded = /;\s*filename\*=utf-8'[^']*'([^\s;]+)/i.exec(disposition)?.[1]
  if (encoded === undefined) return null
  try {
    return decodeURIComponent(encoded)
  } catch {
    return null
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

/** Where `wanted`, which begins with a carriage return, first stands in `bytes`; -1 when it doesn't. */
function indexOf(bytes: Uint8Array, wanted: Uint8Array): number {
  const last = bytes.length - wanted.length
  for (let at = bytes.indexOf(CR); at !== -1 && at <= last; at = bytes.indexOf(CR, at + 1)) {
    let same = 1
    while (same < wanted.length && bytes[at + same] === wanted[same]) same += 1
    if (same === wanted.length) return at
  }
  return -1
}
