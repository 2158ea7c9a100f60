import { HOSTILE, signOf } from './visible-name'

/** What of a text is shown as a sign, and how its lines end. */
export interface TextSigns {
  text: string
  /** Bytes that are no text. */
  bytes: number
  /** Characters that can't be seen, or that change how others read. */
  characters: number
  ends: { crlf: number; lf: number; cr: number }
}

/**
 * A file's text as it can be shown: its signs as in names, tabs and line ends as they are (a carriage return alone is one,
 * and is seen), bytes that are no text as `⟨FF⟩`.
 */
export function visibleText(pieces: readonly (string | Uint8Array)[]): TextSigns {
  const signs: TextSigns = { text: '', bytes: 0, characters: 0, ends: { crlf: 0, lf: 0, cr: 0 } }
  const shown = (character: string) => {
    if (character === '\t') return character
    if (character === '\n') {
      signs.ends.lf++
      return character
    }
    signs.characters++
    return signOf(character)
  }
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      signs.text += piece
        .split(/(\r\n?)/)
        .map((part) => {
          if (part === '\r\n') signs.ends.crlf++
          else if (part === '\r') signs.ends.cr++
          else return part.replace(HOSTILE, shown)
          return part === '\r' ? '␍\n' : '\n'
        })
        .join('')
    } else {
      signs.bytes += piece.length
      signs.text += `⟨${Array.from(piece, (byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join(' ')}⟩`
    }
  }
  return signs
}
