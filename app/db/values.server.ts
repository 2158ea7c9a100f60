import type { Clock } from '../context.server'

/** The clock's time as a statement's parameter; null leaves it to the database's own clock. */
export function timeOf(clock: Clock): string | null {
  return clock.now?.toISOString() ?? null
}

/** Milliseconds as an `interval` parameter. */
export function interval(milliseconds: number): string {
  return `${milliseconds} milliseconds`
}

/** An array parameter as PostgreSQL writes it; for values without quotes, commas or backslashes (ids, codes, keys). */
export function arrayOf(values: readonly string[]): string {
  const odd = values.find((value) => !/^[\w@./-]+$/.test(value))
  if (odd !== undefined) throw new Error(`"${odd}" cannot stand in an array literal`)
  return `{${values.join(',')}}`
}

/** A moment that a raw statement answered, which comes as text. */
export function momentOf(text: string): Date
export function momentOf(text: string | null): Date | null
export function momentOf(text: string | null): Date | null {
  return text === null ? null : new Date(text)
}
