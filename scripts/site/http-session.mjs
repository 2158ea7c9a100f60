/** A person with a browser that has no JavaScript, as far as HTTP can see: cookies, native forms and their `Origin`. */

/**
 * @typedef {object} HttpSession
 * @property {(path: string) => Promise<Response>} get follows no redirect
 * @property {(path: string, fields: Record<string, string> | FormData) => Promise<Response>} post sends a form, urlencoded or (FormData) multipart
 * @property {() => string} cookies as they would be sent now
 */

/**
 * @param {string} origin what the browser's address bar would show
 * @param {string} [address] where the requests go, when that is another place
 * @returns {HttpSession}
 */
export function openSession(origin, address = origin) {
  /** @type {Map<string, string>} */
  const jar = new Map()
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')

  /** @param {string} path @param {RequestInit} [init] */
  async function send(path, init = {}) {
    const url = new URL(path, origin)
    const response = await fetch(new URL(url.pathname + url.search, address), {
      ...init,
      redirect: 'manual',
      // Remix compares a form's `Origin` with the host that it was sent to.
      headers: {
        accept: 'text/html',
        cookie: cookies(),
        'x-forwarded-host': new URL(origin).host,
        ...init.headers,
      },
    })
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';')
      const name = pair.slice(0, pair.indexOf('=')).trim()
      const value = pair.slice(pair.indexOf('=') + 1)
      const ends = attributes.some((attribute) => /^\s*max-age=(0|-\d+)\s*$/i.test(attribute))
      if (ends || value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }

  return {
    get: (path) => send(path),
    post: (path, fields) => {
      const body = fields instanceof FormData ? fields : new URLSearchParams(fields)
      return send(path, { method: 'POST', body, headers: { origin } })
    },
    cookies,
  }
}
