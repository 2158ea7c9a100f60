import { hex } from '../files/digest.server'
import { hasTag } from './entity-tag.server'
import { json } from './respond.server'

/**
 * A private JSON answer with an entity tag made of its content: 304 without a body when the asker has it already
 * (RFC 9110, section 13.1.2).
 */
export async function conditionalJson(request: Request, value: unknown): Promise<Response> {
  const etag = await entityTagOf(value)
  const response = json(value, { headers: { ETag: etag } })
  if (!hasTag(request.headers.get('If-None-Match'), etag)) return response
  response.headers.delete('Content-Type')
  return new Response(null, { status: 304, headers: response.headers })
}

/** The tag that `conditionalJson` gives this value: a page that has it needs to fetch nothing before it has changed. */
export async function entityTagOf(value: unknown): Promise<string> {
  const content = new TextEncoder().encode(JSON.stringify(value))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', content))
  return `"${hex(digest.subarray(0, 12))}"`
}
