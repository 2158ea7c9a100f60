/** Finding forms and links in a page of our own. Enough for our markup, not for the web's. */

/** @param {string} html @returns {string[]} where the page's links lead, in order */
export function linksIn(html) {
  return [...html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)].map(([, href = '']) => decode(href))
}

/**
 * The hidden fields of the first form that posts to a path.
 * @param {string} html @param {string} path @returns {Map<string, string>}
 */
export function hiddenFields(html, path) {
  const forms = [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)]
  const form = forms.find(
    ([, attributes = '']) => decode(attribute(attributes, 'action')).split('?')[0] === path,
  )
  const inputs = [...(form?.[2] ?? '').matchAll(/<input\b([^>]*)>/g)].map(([, attributes = '']) => attributes)
  return new Map(
    inputs
      .filter((input) => attribute(input, 'type') === 'hidden')
      .map((input) => [decode(attribute(input, 'name')), decode(attribute(input, 'value'))]),
  )
}

/** What a person would read. @param {string} html */
export function textIn(html) {
  const body = html.replace(/<(script|style|head)\b.*?<\/\1>/gs, ' ')
  return decode(body.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()
}

/** @param {string} tag @param {string} name */
const attribute = (tag, name) => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? ''

/** @param {string} text */
const decode = (text) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
