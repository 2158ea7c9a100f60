/** File systems take 255 bytes for a name; the rest is room for what a browser adds to a second download. */
const MAX_BYTES = 200

/** An ending of at most this many bytes is kept when a name is shortened. */
const MAX_ENDING_BYTES = 16

/** Names that Windows keeps for devices, with any ending. */
const RESERVED = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³]) *(\.|$)/i

/**
 * A file's name for display and for saving: the last part of a path, composed (NFC), without control characters and what
 * Windows refuses, at most 200 bytes of UTF-8 with its ending kept. Never empty, and cleaning it again changes nothing.
 * What it says stays hostile: where it is shown, direction overrides are made visible.
 */
export function cleanName(raw: string): string {
  const base = ends(raw.normalize('NFC').split(/[/\\]/).at(-1) ?? '')
  const cleaned = base
    // Half of a pair is no character, and can't be written as UTF-8.
    .replace(/\p{Surrogate}/gu, '')
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s{2,}/g, ' ')
    .replace(/^[\s.]+(?=[\s.])|[\s.]+$/g, '')
    .trimStart()
  if (cleaned === '') return 'file'
  return shortened(RESERVED.test(cleaned) ? `_${cleaned}` : cleaned)
}

/** Start and end of a name that nobody gives a file: what follows looks at every character more than once. */
function ends(name: string): string {
  return name.length > 1000 ? name.slice(0, 700) + name.slice(-300) : name
}

function shortened(name: string): string {
  if (byteLength(name) <= MAX_BYTES) return name
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && byteLength(name.slice(dot)) <= MAX_ENDING_BYTES ? name.slice(dot) : ''
  let room = MAX_BYTES - byteLength(ending)
  let start = ''
  for (const character of name.slice(0, name.length - ending.length)) {
    room -= byteLength(character)
    if (room < 0) break
    start += character
  }
  return start.replace(/[\s.]+$/, '') + ending
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}
