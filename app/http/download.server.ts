import type { AppContext } from '../context.server'
import { sha256Hex } from '../files/digest.server'
import { attachmentAs } from './disposition.server'
import type { DownloadableFile } from '../files/queries.server'
import { hasTag, meetsIfMatch } from './entity-tag.server'
import { parseRange } from './ranges.server'
import { withinStorageTime } from '../files/storage-time.server'

/** With these headers stored bytes can do nothing on this site but be saved, and no cache keeps them. */
export const INERT = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'private, no-store',
}

/**
 * A file goes out as it is stored. Text would be compressed on the way, by Cloudflare's network as by the local runtime, for
 * whoever takes that: the answer would lose its length, so that nobody sees how much is still to come, and its strong tag,
 * without which nothing can be continued. An answer that names a coding is left alone, even one that changes nothing (which
 * RFC 9110, section 8.4.1, would rather not see). `no-transform` says the same, but the local runtime doesn't know it.
 */
const AS_IT_IS = 'identity'

/**
 * A stored file as an answer: always an attachment, of a type from our own registry, in a sandbox that may load
 * and run nothing, so that it can't act on this site. Streams from storage; honours `Range` (one), `If-Range`, `If-Match`,
 * `If-None-Match` and `HEAD`. Null: the object isn't there although its row says so.
 */
export async function downloadResponse(
  ctx: AppContext,
  file: DownloadableFile,
  request: Request,
): Promise<Response | null> {
  // A file's bytes never change, so its id says which they are. Hashed, because a tag is no place for an id.
  const etag = `"${(await sha256Hex(new TextEncoder().encode(`file ${file.id}`))).slice(0, 24)}"`
  const headers = new Headers({
    ETag: etag,
    'Accept-Ranges': 'bytes',
    ...INERT,
  })
  if (!meetsIfMatch(request.headers.get('If-Match'), etag))
    return new Response(null, { status: 412, headers })
  if (hasTag(request.headers.get('If-None-Match'), etag)) return new Response(null, { status: 304, headers })

  const range = parseRange(askedRange(request, etag), file.size)
  if (range === 'unsatisfiable') {
    headers.set('Content-Range', `bytes */${file.size}`)
    return new Response(null, { status: 416, headers })
  }
  headers.set('Content-Disposition', attachmentAs(file.name))
  headers.set('Content-Type', file.type === 'text/plain' ? 'text/plain; charset=utf-8' : file.type)
  headers.set('Content-Encoding', AS_IT_IS)
  headers.set('Content-Length', String(range ? range.length : file.size))
  if (range)
    headers.set('Content-Range', `bytes ${range.offset}-${range.offset + range.length - 1}/${file.size}`)
  const status = range ? 206 : 200
  if (request.method === 'HEAD') {
    const object = ctx.storage && (await withinStorageTime(ctx.storage.head(file.objectKey)))
    return object?.size === file.size ? new Response(null, { status, headers }) : missing(ctx, file, object)
  }
  const object =
    ctx.storage && (await withinStorageTime(ctx.storage.get(file.objectKey, range ? { range } : {})))
  if (object?.size === file.size) return new Response(object.body, { status, headers })
  await object?.body.cancel()
  return missing(ctx, file, object)
}

function missing(ctx: AppContext, file: DownloadableFile, object: R2Object | null): null {
  ctx.log('download.object_missing', { fileId: file.id, size: object?.size })
  return null
}

/**
 * Only `GET` has ranges (RFC 9110, section 14.2). One whose `If-Range` doesn't hold asks for the whole file, which has
 * changed since.
 */
function askedRange(request: Request, etag: string): string | null {
  if (request.method !== 'GET') return null
  const condition = request.headers.get('If-Range')
  return condition === null || condition === etag ? request.headers.get('Range') : null
}
