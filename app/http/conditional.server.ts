import { json } from './respond.server'

/**
 * A private JSON answer with an entity tag made of its content: 304 without a body when the asker has it already
 * (RFC 9110, section 13.1.2).
 */
export async function conditionalJson(request: Request, value: unknown): Promise<Response> {
  const content = new TextEncoder().encode(JSON.stringify(value))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', content))
  const etag = `"${Array.from(digest.subarray(0, 12), (byte) => byte.toString(16).padStart(2, '0')).join('')}"`
  const response = json(value, { headers: { ETag: etag } })
  if (!matches(request.headers.get('If-None-Match'), etag)) return response
  response.headers.delete('Content-Type')
  return new Response(null, { status: 304, headers: response.headers })
}

/** Weak comparison, which is what `If-None-Match` asks for: `*`, or one of a list of tags with or without `W/`. */
export function matches(condition: string | null, etag: string): boolean {
  if (condition === null) return false
  return condition.split(',').some((each) => {
    const tag = each.trim()
    return tag === '*' || tag.replace(/^W\//, '') === etag
  })
}
