/**
 * A file's name is whatever somebody typed. Characters that would change how the text around them reads (control
 * characters, line separators, changes of direction, invisible ones) are shown instead of obeyed; only the two joiners
 * stay, which several scripts and many emoji need.
 */
export const HOSTILE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

const LONGEST_SHORT = 56
const KEPT_AT_START = 34
const KEPT_AT_END = 20

/** The name with every such character replaced by a sign of it: `␛` for an escape, `⟨U+202E⟩` for an override. */
export function visibleName(name: string): string {
  return name.replace(HOSTILE, signOf)
}

export function signOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  if (code === 0x7f) return '␡'
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
}

/** At most 55 characters: start and end stay, since the end tells the type. Expects a name that is already visible. */
export function shortName(visible: string): string {
  const characters = Array.from(visible)
  if (characters.length < LONGEST_SHORT) return visible
  return `${characters.slice(0, KEPT_AT_START).join('')}…${characters.slice(-KEPT_AT_END).join('')}`
}
