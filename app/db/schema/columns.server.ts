import { timestamp } from 'drizzle-orm/pg-core'

/** A moment, to the millisecond: what JavaScript's `Date` holds, so that a keyset cursor loses nothing. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })
