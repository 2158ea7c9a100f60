import { expect } from 'vitest'
import type { AppContext } from '../context.server'
import { brokenStorage } from './invariants'

/** The row as it is stored; undefined once it is gone. */
export async function readFileRow(ctx: AppContext, fileId: string) {
  const [row] = await ctx.db.$client<
    {
      state: string
      name: string
      object_key: string
      request_key: string | null
      expires_at: string | null
      next_try_at: string
      try_count: number
    }[]
  >`select * from file where id = ${fileId}`
  return row
}

/** What the account's counters say. */
export async function readUse(ctx: AppContext, userId: string) {
  const [row] = await ctx.db.$client<{ files: number; bytes: number }[]>`
    select file_count as files, byte_count::integer as bytes from storage_usage where user_id = ${userId}`
  return row ?? { files: 0, bytes: 0 }
}

/**
 * The account's books: its counters are the sum of its counted rows, and every ready file has its object, of its size.
 * Answers how many rows there are in each state.
 */
export async function checkBooks(ctx: AppContext, userId: string): Promise<Record<string, number>> {
  const rows = await ctx.db.$client<
    { state: string; object_key: string; counted: boolean; size: number }[]
  >`select state, object_key, counted, byte_size::integer as size from file where user_id = ${userId}`
  const counted = rows.filter((row) => row.counted)
  expect(await readUse(ctx, userId)).toEqual({
    files: counted.length,
    bytes: counted.reduce((sum, { size }) => sum + size, 0),
  })
  const states: Record<string, number> = {}
  for (const { state, object_key, size } of rows) {
    states[state] = (states[state] ?? 0) + 1
    if (state === 'ready') expect((await ctx.storage?.head(object_key))?.size).toBe(size)
  }
  return states
}

/** Objects in storage that no row of any account and no trash knows of. */
export async function strayObjects(ctx: AppContext): Promise<string[]> {
  const broken = await brokenStorage(ctx)
  return broken.filter(({ rule }) => rule === 'object without a row').map(({ id }) => id)
}
