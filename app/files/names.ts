/** Bytes that file systems take for a name, less room for what a browser adds to a second download. */
const MAX_LENGTH = 200

/** Names that Windows keeps for devices, with any ending. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/**
 * A file's name for display and for saving: the last part of a path, composed (NFC), without control characters and what
 * Windows refuses, not longer than 200 characters with its ending kept. Never empty. What it says stays hostile: where
 * it is shown, direction overrides are made visible.
 */
export function cleanName(raw: string): string {
  const base = raw.normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const cleaned = Array.from(base.replace(/[\p{Cc}\u2028\u2029]/gu, ' ').replace(/[<>:"|?*]/g, '_'))
    .filter((character) => !isLoneSurrogate(character))
    .join('')
    .replace(/ {2,}/g, ' ')
    .replace(/^[ .]+(?=[ .])|[ .]+$/g, '')
    .trim()
  if (cleaned === '' || /^\.*$/.test(cleaned)) return 'file'
  return shortened(RESERVED.test(cleaned) ? `_${cleaned}` : cleaned)
}

function isLoneSurrogate(character: string): boolean {
  const code = character.charCodeAt(0)
  return character.length === 1 && code >= 0xd800 && code <= 0xdfff
}

function shortened(name: string): string {
  const characters = Array.from(name)
  if (characters.length <= MAX_LENGTH) return name
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && name.length - dot <= 16 ? Array.from(name.slice(dot)) : []
  return [...characters.slice(0, MAX_LENGTH - ending.length), ...ending].join('')
}
