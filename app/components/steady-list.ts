/** What of a row decides its place in a list that shows the newest first. */
interface Placed {
  id: string
  createdAt: string
}

/** What a person has before their eyes: the newest row, and which rows stand in the group above the list. */
export interface Seen {
  newest: Placed | null
  above: readonly string[]
}

export function seenOf(list: readonly Placed[], above: readonly Placed[]): Seen {
  const [newest = null] = [...list, ...above].sort((one, other) => (isNewer(one, other) ? -1 : 1))
  return { newest, above: above.map(({ id }) => id) }
}

/**
 * The rows to show, so that nothing moves under the finger: what is newer than all that was seen waits (`waiting` says how
 * many), and a row changes between the group and the list only when the person asks for what is new. Each row stands in
 * one place. When nothing of what was seen is left, there is nothing to hold still, and all is shown.
 */
export function steadyRows<Row extends Placed>(
  { list, above }: { list: readonly Row[]; above: readonly Row[] },
  { newest, above: aboveIds }: Seen,
): { list: Row[]; above: Row[]; waiting: number } {
  const known = newest && list.some((row) => !isNewer(row, newest))
  const seen = known ? list.filter((row) => !isNewer(row, newest)) : [...list]
  // The list's row is as fresh as the group's, and there also when it needs nobody any more.
  const rows = new Map([...above, ...list].map((row) => [row.id, row]))
  const group = aboveIds.flatMap((id) => rows.get(id) ?? [])
  const places = new Set(aboveIds)
  return {
    list: seen.filter(({ id }) => !places.has(id)),
    above: group,
    waiting: list.length - seen.length,
  }
}

function isNewer(one: Placed, other: Placed): boolean {
  return one.createdAt === other.createdAt ? one.id > other.id : one.createdAt > other.createdAt
}
