import * as z from 'zod'
import type { Sql } from './client.server'

/** A row's place in a list that shows the newest first: its time, and its id among equal times. */
export interface KeysetPosition {
  createdAt: Date
  id: string
}

/** Where a page begins: after a position (toward older rows), before one (toward newer), or at the newest. */
export interface PageStart {
  position: KeysetPosition | null
  backwards: boolean
}

export interface KeysetPage<Row> {
  rows: Row[]
  /** Continues toward older rows; null on the last page. */
  nextCursor: string | null
  /** Back toward newer rows; null on the first page. */
  previousCursor: string | null
}

/** The last moment that has a year of four digits: the database doesn't read JavaScript's longer ones. */
const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z')

const positionSchema = z.tuple([z.number().int().nonnegative().max(LAST_MOMENT), z.uuid()])

/** The position as an opaque piece of a URL. Holds nothing that the list doesn't show. */
export function encodeCursor({ createdAt, id }: KeysetPosition): string {
  return btoa(JSON.stringify([createdAt.getTime(), id]))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** The position that a cursor stands for; null for anything that `encodeCursor` didn't make. */
export function parseCursor(text: string): KeysetPosition | null {
  try {
    const decoded: unknown = JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')))
    const [time, id] = positionSchema.parse(decoded)
    return { createdAt: new Date(time), id }
  } catch {
    return null
  }
}

/** Where the asked page begins; null for a broken cursor, or both at once. */
export function pageStart({
  after,
  before,
}: {
  after?: string | null
  before?: string | null
}): PageStart | null {
  const cursor = after ?? before
  if (cursor === null || cursor === undefined) return { position: null, backwards: false }
  const position = typeof after === 'string' && typeof before === 'string' ? null : parseCursor(cursor)
  return position && { position, backwards: typeof before === 'string' }
}

/**
 * What a statement over one table needs for a page that begins there: its condition, and its order. Plain columns, read forwards
 * or backwards: the index on (…, created_at, id) serves both.
 */
export function keysetClauses(sql: Sql, { position, backwards }: PageStart) {
  const place = position && sql`(${position.createdAt.toISOString()}::timestamptz, ${position.id}::uuid)`
  return {
    beyond: !place
      ? sql``
      : backwards
        ? sql`and (created_at, id) > ${place}`
        : sql`and (created_at, id) < ${place}`,
    order: backwards ? sql`created_at, id` : sql`created_at desc, id desc`,
  }
}

/** The page of rows that were read from its start in its direction, one more than it shows. */
export function keysetPage<Row extends KeysetPosition>(
  read: Row[],
  { position, backwards }: PageStart,
  limit: number,
): KeysetPage<Row> {
  const more = read.length > limit
  const rows = read.slice(0, limit)
  if (backwards) rows.reverse()
  const [first, last] = [rows.at(0), rows.at(-1)]
  return {
    rows,
    nextCursor: last && (backwards || more) ? encodeCursor(last) : null,
    previousCursor: first && (backwards ? more : position) ? encodeCursor(first) : null,
  }
}
