import { uuidv7 } from 'uuidv7'
import type { FailureCode } from '../config/failures'
import { ABANDONED_AFTER_MS } from '../config/limits'
import type { AppContext } from '../context.server'
import { interval, timeOf } from '../db/values.server'
import { describeError } from '../log.server'
import { sha256Hex } from './digest.server'
import { cleanName } from './names'
import { newObjectKey } from './object-key.server'
import { retention } from './retention.server'
import { withinStorageTime } from './storage-time.server'
import { fileTypeOf } from './types'

export interface Upload {
  userId: string
  /** As the browser sent it; cleaned here. */
  name: string
  /** Null: it was larger than allowed, and was not kept while it was read. */
  bytes: Uint8Array | null
  /** Content types that some processor takes. */
  accepts: readonly string[]
  /** The form's key and the file's place in it: sent again, the same file is the stored one. Null without a key. */
  request: { key: string; index: number } | null
}

export type UploadRefusal = Extract<
  FailureCode,
  | 'FILE_EMPTY'
  | 'FILE_TOO_LARGE'
  | 'FILE_TYPE_UNSUPPORTED'
  | 'STORAGE_FULL'
  | 'REQUEST_CONFLICT'
  | 'NOT_CONFIGURED'
  | 'UNAUTHENTICATED'
  | 'UPLOAD_FAILED'
>

export type StoredUpload = { fileId: string } | { refused: UploadRefusal }

/**
 * Keeps an uploaded file: quota and row first, then the object, then the row becomes `ready`. Refused: nothing is kept.
 * Sent again under its request key it answers the stored file, also when the first answer was lost half-way. Two
 * statements.
 */
export async function storeUpload(ctx: AppContext, upload: Upload): Promise<StoredUpload> {
  if (!ctx.storage) return { refused: 'NOT_CONFIGURED' }
  const { bytes } = upload
  if (!bytes || bytes.length > ctx.site.files.maxBytes) return { refused: 'FILE_TOO_LARGE' }
  if (bytes.length === 0) return { refused: 'FILE_EMPTY' }
  const name = cleanName(upload.name)
  const type = fileTypeOf(name, bytes)
  if (!type || !upload.accepts.includes(type)) return { refused: 'FILE_TYPE_UNSUPPORTED' }
  // What can never fit is refused before an account without any file gets its first row.
  if (bytes.length > ctx.site.files.quotaBytes) return { refused: 'STORAGE_FULL' }

  const sha256 = await sha256Hex(bytes)
  const {
    outcome,
    file_id: fileId,
    object_key: objectKey,
  } = await reserve(ctx, upload, {
    name,
    type,
    size: bytes.length,
    sha256,
  })
  if (outcome === 'repeated') return { fileId }
  if (outcome !== 'reserved') return { refused: outcome }
  try {
    // With the digest, storage refuses what has changed on the way.
    await withinStorageTime(ctx.storage.put(objectKey, bytes, { sha256 }))
  } catch (error) {
    ctx.log('upload.not_stored', { fileId, ...describeError(error) })
    if (await discard(ctx, fileId)) return { refused: 'UPLOAD_FAILED' }
    // The same form, sent twice at once: the other one may have stored it.
  }
  const ready = await finish(ctx, upload.userId, fileId)
  ctx.log('upload.stored', { fileId, bytes: bytes.length, ready })
  return ready ? { fileId } : { refused: 'UPLOAD_FAILED' }
}

interface Reservation {
  outcome: 'reserved' | 'repeated' | 'REQUEST_CONFLICT' | 'STORAGE_FULL' | 'UNAUTHENTICATED'
  file_id: string
  object_key: string
}

async function reserve(
  ctx: AppContext,
  { userId, request }: Upload,
  { name, type, size, sha256 }: { name: string; type: string; size: number; sha256: string },
): Promise<Reservation> {
  const [answer] = await ctx.db.$client<Reservation[]>`
    select outcome, file_id, object_key from engine.reserve_upload(
      p_now => ${timeOf(ctx.clock)}, p_user => ${userId}, p_file => ${uuidv7()},
      p_request_key => ${request?.key ?? null}, p_request_index => ${request?.index ?? null},
      p_name => ${name}, p_type => ${type}, p_size => ${size}, p_sha256 => ${sha256},
      p_object_key => ${newObjectKey(ctx)}, p_max_files => ${ctx.site.files.maxCount},
      p_max_bytes => ${ctx.site.files.quotaBytes}, p_abandoned_after => ${interval(ABANDONED_AFTER_MS)})`
  if (!answer) throw new Error('reserve_upload answered nothing')
  return answer
}

/**
 * `uploading` → `ready`. True also when it was ready before, by the same form sent twice at once: both write the same bytes
 * under the same key. False when maintenance has given the upload up meanwhile.
 */
async function finish(ctx: AppContext, userId: string, fileId: string): Promise<boolean> {
  const kept = retention(ctx)
  // One guarded update and no look at the row beside it: after waiting for the other one, only the update sees what it did.
  const finished = await ctx.db.$client`
    update file
       set state = 'ready', updated_at = engine.now(${timeOf(ctx.clock)}),
           expires_at = coalesce(expires_at, engine.now(${timeOf(ctx.clock)}) + ${kept}::interval),
           next_try_at = coalesce(expires_at, engine.now(${timeOf(ctx.clock)}) + ${kept}::interval)
     where id = ${fileId} and user_id = ${userId} and state in ('uploading', 'ready')`
  return finished.count === 1
}

/**
 * The bytes didn't arrive: cleaning removes what may have, then the row and its quota. False when there was nothing to
 * discard: a ready file is never touched.
 */
async function discard(ctx: AppContext, fileId: string): Promise<boolean> {
  const discarded = await ctx.db.$client`
    update file
       set state = 'deleting', request_key = null, request_index = null,
           next_try_at = engine.now(${timeOf(ctx.clock)}), updated_at = engine.now(${timeOf(ctx.clock)})
     where id = ${fileId} and state = 'uploading'`
  return discarded.count === 1
}
