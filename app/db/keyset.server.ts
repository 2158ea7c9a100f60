import * as z from 'zod'

/** Where a newest-first list stands: the last row's time and id. */
export interface KeysetPosition {
  createdAt: Date
  id: string
}

const positionSchema = z.tuple([z.number().int().nonnegative().max(8.64e15), z.uuid()])

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
