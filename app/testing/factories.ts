import { createHash, randomUUID } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { AppContext } from '../context.server'
import { timeOf } from '../db/values.server'

/** An account that can't sign in: what domain code needs of one. */
export async function createUser(
  ctx: AppContext,
  overrides: Partial<{ id: string; name: string; email: string; isOperator: boolean }> = {},
) {
  const id = overrides.id ?? uuidv7()
  const user = { id, name: 'Ada', email: `${id}@example.test`, isOperator: false, ...overrides }
  await ctx.db.$client`
    insert into "user" (id, name, email, is_operator) values (${user.id}, ${user.name}, ${user.email}, ${user.isOperator})`
  return user
}

export interface CreatedFile {
  id: string
  objectKey: string
  bytes: Uint8Array
  sha256: string
}

/** A stored upload: its row, its object and its part of the quota. */
export async function createFile(
  ctx: AppContext,
  given: {
    userId: string
    bytes?: Uint8Array
    name?: string
    contentType?: string
    state?: 'uploading' | 'ready' | 'deleting'
    expiresAt?: Date
    createdAt?: Date
  },
): Promise<CreatedFile> {
  const bytes = given.bytes ?? new TextEncoder().encode('one\r\ntwo\r\n')
  const file = {
    id: uuidv7(),
    objectKey: `${ctx.site.storagePrefix}${randomUUID()}`,
    bytes,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }
  await ctx.storage?.put(file.objectKey, bytes)
  const expiresAt = given.expiresAt?.toISOString() ?? null
  await ctx.db.$client`
    with made as (
      insert into file (id, user_id, name, content_type, byte_size, sha256, object_key, state, created_at, updated_at,
                        expires_at, next_try_at)
      select ${file.id}, ${given.userId}, ${given.name ?? 'notes.txt'}, ${given.contentType ?? 'text/plain'},
             ${bytes.length}, ${file.sha256}, ${file.objectKey}, ${given.state ?? 'ready'},
             m.now, m.now, coalesce(${expiresAt}::timestamptz, m.now + interval '7 days'),
             coalesce(${expiresAt}::timestamptz, m.now + interval '7 days')
        from (select coalesce(${given.createdAt?.toISOString() ?? null}::timestamptz, engine.now(${timeOf(ctx.clock)})) as now) m
      returning user_id, byte_size
    )
    insert into storage_usage as u (user_id, file_count, byte_count) select user_id, 1, byte_size from made
    on conflict (user_id) do update set file_count = u.file_count + 1, byte_count = u.byte_count + excluded.byte_count`
  return file
}
