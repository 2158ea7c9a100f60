import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const tokens = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')
const [lightBlock = '', darkBlock = ''] = tokens.split('prefers-color-scheme: dark')
const light = colors(lightBlock)
const themes = { light, dark: { ...light, ...colors(darkBlock) } }

const STATES = ['waiting', 'running', 'retrying', 'person', 'done', 'failed', 'canceled']

/** Text on what it stands on, as the components use them: WCAG 1.4.3. */
const TEXT: [text: string, background: string][] = [
  ...['ink', 'soft', 'accent', 'accent-deep', ...STATES].flatMap((text): [string, string][] => [
    [text, 'paper'],
    [text, 'sunk'],
    [text, 'raised'],
  ]),
  ['on-accent', 'accent'],
  ['on-accent', 'accent-deep'],
]

/** Edges of controls, the focus ring and icons that carry meaning: WCAG 1.4.11. */
const SHAPES: [shape: string, background: string][] = [
  ['edge', 'paper'],
  ['edge', 'raised'],
  ['accent', 'line'],
  ...STATES.map((state): [string, string] => [state, 'paper']),
]

describe.each(Object.entries(themes))('the %s theme', (_, theme) => {
  it.each(TEXT)('%s text on %s has a contrast of at least 4.5 : 1', (text, background) => {
    expect(contrast(theme, text, background)).toBeGreaterThanOrEqual(4.5)
  })

  it.each(SHAPES)('%s shapes on %s have a contrast of at least 3 : 1', (shape, background) => {
    expect(contrast(theme, shape, background)).toBeGreaterThanOrEqual(3)
  })
})

it('the dark theme replaces every colour of the light one', () => {
  expect(Object.keys(colors(darkBlock)).sort()).toEqual(Object.keys(light).sort())
})

it('the browser’s own surfaces have the colour of the paper', () => {
  const root = readFileSync(new URL('../root.tsx', import.meta.url), 'utf8')
  expect(root).toContain(`content="${themes.light.paper}"`)
  expect(root).toContain(`content="${themes.dark.paper}"`)
})

function colors(css: string): Record<string, string> {
  const found = css.matchAll(/--color-([a-z-]+):\s*(#[0-9a-f]{6})/g)
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value]))
}

function contrast(theme: Record<string, string>, one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(theme[one]), luminance(theme[other])].sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

/** Relative luminance as WCAG 2.2 defines it. */
function luminance(hex: string | undefined): number {
  if (!hex) throw new Error('a pair names a colour that tokens.css has not')
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
