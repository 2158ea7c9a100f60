import { PAGE_SIZE } from '../config/limits'
import type { AppContext } from '../context.server'
import { keysetClauses, keysetPage, pageStart, type KeysetPage } from '../db/keyset.server'
import { momentOf, timeOf } from '../db/values.server'

/** One of an account's files that can be seen: `ready` and not expired. No digest and no object key. */
export interface StoredFile {
  id: string
  name: string
  type: string
  size: number
  origin: 'upload' | 'result'
  /** The task that made it. */
  taskId: string | null
  createdAt: Date
  expiresAt: Date
  /** An active task that needs it. */
  pinnedBy: string | null
}

export type FilePage = Omit<KeysetPage<never>, 'rows'> & { files: StoredFile[] }

interface FileRow {
  id: string
  name: string
  type: string
  size: string
  origin: 'upload' | 'result'
  task_id: string | null
  created_at: string
  expires_at: string
  pinned_by: string | null
}

/** One page of an account's files, newest first, by keyset. `INVALID_INPUT` for a broken cursor. One statement. */
export async function listFiles(
  ctx: AppContext,
  request: { userId: string; after?: string | null; before?: string | null; limit?: number },
): Promise<FilePage | 'INVALID_INPUT'> {
  const limit = request.limit ?? PAGE_SIZE
  const start = pageStart(request)
  if (!start) return 'INVALID_INPUT'

  const sql = ctx.db.$client
  const { beyond, order } = keysetClauses(sql, start)
  const read = await sql<FileRow[]>`
    select f.id, f.name, f.content_type as type, f.byte_size as size, f.origin, f.task_id, f.created_at, f.expires_at,
           (select p.task_id from task_input_pin p where p.file_id = f.id limit 1) as pinned_by
      from file f
     where f.user_id = ${request.userId} and f.state = 'ready' and f.expires_at > engine.now(${timeOf(ctx.clock)})
       ${beyond}
     order by ${order}
     limit ${limit + 1}`
  const { rows, ...cursors } = keysetPage(read.map(toStoredFile), start, limit)
  return { files: rows, ...cursors }
}

function toStoredFile(row: FileRow): StoredFile {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    size: Number(row.size),
    origin: row.origin,
    taskId: row.task_id,
    createdAt: momentOf(row.created_at),
    expiresAt: momentOf(row.expires_at),
    pinnedBy: row.pinned_by,
  }
}

/** What a download needs. The object key stays on the server. */
export interface DownloadableFile {
  id: string
  name: string
  type: string
  size: number
  objectKey: string
}

/** An account's file for download. Somebody else's, and one that isn't `ready`, is not found. One statement. */
export async function findDownload(
  ctx: AppContext,
  { userId, fileId }: { userId: string; fileId: string },
): Promise<DownloadableFile | 'FILE_NOT_FOUND' | 'FILE_EXPIRED'> {
  const [row] = await ctx.db.$client<
    { id: string; name: string; type: string; size: string; object_key: string; expired: boolean }[]
  >`
    select id, name, content_type as type, byte_size as size, object_key,
           expires_at <= engine.now(${timeOf(ctx.clock)}) as expired
      from file
     where id = ${fileId} and user_id = ${userId} and state = 'ready'`
  if (!row) return 'FILE_NOT_FOUND'
  if (row.expired) return 'FILE_EXPIRED'
  return { id: row.id, name: row.name, type: row.type, size: Number(row.size), objectKey: row.object_key }
}

/** What an account has stored, and how much it may. One statement. */
export async function storageUse(ctx: AppContext, userId: string) {
  const [row] = await ctx.db.$client<{ files: number; bytes: string }[]>`
    select file_count as files, byte_count as bytes from storage_usage where user_id = ${userId}`
  return {
    files: row?.files ?? 0,
    bytes: Number(row?.bytes ?? 0),
    maxFiles: ctx.site.files.maxCount,
    maxBytes: ctx.site.files.quotaBytes,
  }
}
