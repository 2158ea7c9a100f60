/** Longest part of a `User-Agent` that is looked at: whatever a browser calls itself stands at its beginning. */
const LOOKED_AT = 512

export const UNKNOWN_DEVICE = 'Unknown device'

/** In this order: most browsers also call themselves by the names of those that come later. */
const BROWSERS: readonly [RegExp, string][] = [
  [/\b(Edg|EdgA|EdgiOS)\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const SYSTEMS: readonly [RegExp, string][] = [
  [/\b(iPhone|iPod)\b/, 'an iPhone'],
  [/\biPad\b/, 'an iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\b(Macintosh|Mac OS X)\b/, 'a Mac'],
  [/\bLinux\b/, 'Linux'],
]

/**
 * A browser in a few words, such as `Firefox on Android`. Whatever was sent, the answer is put together from this file's own
 * words alone: nothing that a stranger wrote is ever stored or shown, and nobody is told apart by a version.
 */
export function describeDevice(userAgent: string | null): string {
  const text = (userAgent ?? '').slice(0, LOOKED_AT)
  const browser = BROWSERS.find(([pattern]) => pattern.test(text))?.[1]
  const system = SYSTEMS.find(([pattern]) => pattern.test(text))?.[1]
  if (browser && system) return `${browser} on ${system}`
  if (browser) return browser
  return system ? `Another browser on ${system}` : UNKNOWN_DEVICE
}
