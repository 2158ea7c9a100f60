import { PAGE_SIZE } from '../config/limits'
import type { AppContext } from '../context.server'
import { keysetClauses, keysetPage, pageStart, type KeysetPage } from '../db/keyset.server'
import { arrayOf, momentOf, timeOf } from '../db/values.server'

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

export interface FileListRequest {
  userId: string
  /** Only files whose names have this in them. */
  search?: string | null
  after?: string | null
  before?: string | null
  limit?: number
}

/**
 * One page of an account's files, newest first, by keyset. A search takes every character as itself, whatever its case.
 * `INVALID_INPUT` for a broken cursor. One statement.
 */
export async function listFiles(
  ctx: AppContext,
  request: FileListRequest,
): Promise<FilePage | 'INVALID_INPUT'> {
  const limit = request.limit ?? PAGE_SIZE
  const start = pageStart(request)
  if (!start) return 'INVALID_INPUT'

  const sql = ctx.db.$client
  const { beyond, order } = keysetClauses(sql, start)
  const read = await sql<FileRow[]>`
    select ${fileColumns(ctx)}
      from file f
     where f.user_id = ${request.userId} and f.state = 'ready' and f.expires_at > engine.now(${timeOf(ctx.clock)})
       ${request.search ? whereNamed(ctx, request.search) : sql``}
       ${beyond}
     order by ${order}
     limit ${limit + 1}`
  const { rows, ...cursors } = keysetPage(read.map(toStoredFile), start, limit)
  return { files: rows, ...cursors }
}

/** The columns of a `FileRow`. */
function fileColumns(ctx: AppContext) {
  return ctx.db.$client`
    f.id, f.name, f.content_type as type, f.byte_size as size, f.origin, f.task_id, f.created_at, f.expires_at,
    (select p.task_id from task_input_pin p where p.file_id = f.id limit 1) as pinned_by`
}

/** Both sides lowered by the root collation, which knows every script: the database's own may know ASCII alone. */
function whereNamed(ctx: AppContext, search: string) {
  return ctx.db
    .$client`and strpos(lower(f.name collate "und-x-icu"), lower(${search} collate "und-x-icu")) > 0`
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

/** A file that may be shown and read. */
export type ReadableFile = StoredFile & DownloadableFile

/** Why there is nothing to read. Only an owner learns more than "not found", and then what it was called. */
export type UnavailableFile =
  { reason: 'FILE_NOT_FOUND'; name: null } | { reason: 'FILE_EXPIRED' | 'RESULT_EXPIRED'; name: string }

export type FoundFile = { file: ReadableFile } | UnavailableFile

/**
 * An account's files by their ids, in the same order: those that are `ready` and not expired. A result of this account's
 * task that has expired or was deleted is `RESULT_EXPIRED`; what is somebody else's is `FILE_NOT_FOUND`. One statement.
 */
export async function findFiles(
  ctx: AppContext,
  { userId, fileIds }: { userId: string; fileIds: readonly string[] },
): Promise<FoundFile[]> {
  if (fileIds.length === 0) return []
  const rows = await ctx.db.$client<
    (FileRow & { object_key: string; expired: boolean | null; result_name: string | null })[]
  >`
    select ${fileColumns(ctx)}, f.object_key, f.expires_at <= engine.now(${timeOf(ctx.clock)}) as expired,
           t.result_name
      from unnest(${arrayOf(fileIds)}::uuid[]) with ordinality asked (id, place)
      left join file f on f.id = asked.id and f.user_id = ${userId} and f.state = 'ready'
      left join task t on t.result_file_id = asked.id and t.user_id = ${userId}
     order by asked.place`
  return rows.map((row) => {
    if (row.expired === false) return { file: { ...toStoredFile(row), objectKey: row.object_key } }
    if (row.result_name !== null) return { reason: 'RESULT_EXPIRED', name: row.result_name }
    return row.expired ? { reason: 'FILE_EXPIRED', name: row.name } : { reason: 'FILE_NOT_FOUND', name: null }
  })
}

/** One of an account's files, or why there is none. One statement. */
export async function findDownload(
  ctx: AppContext,
  { userId, fileId }: { userId: string; fileId: string },
): Promise<ReadableFile | UnavailableFile['reason']> {
  const [found] = await findFiles(ctx, { userId, fileIds: [fileId] })
  if (!found) return 'FILE_NOT_FOUND'
  return 'file' in found ? found.file : found.reason
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
