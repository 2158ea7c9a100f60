import { useLocation } from '@remix-run/react'
import { useState } from 'react'
import type { TaskStatus } from '../config/task-statuses'
import { seenOf, steadyRows } from './steady-list'
import type { TaskListRow } from './types'
import { shortName, visibleName } from './visible-name'
import { STATES } from './wording'

interface Rows {
  list: TaskListRow[]
  above: TaskListRow[]
}

/**
 * The rows of a page that keeps itself up to date, held still as `steadyRows` says until `showNew` or going somewhere else;
 * `news` says in words which of them have changed their state last.
 */
export function useSteadyRows(fresh: Rows) {
  const { key } = useLocation()
  const lookAt = (rows: Rows) => ({
    key,
    fresh: rows,
    seen: seenOf(rows.list, rows.above),
    news: '',
  })
  const [look, setLook] = useState(() => lookAt(fresh))
  // State that follows what comes in, set while rendering, before anything of the old is shown.
  if (look.key !== key) setLook(lookAt(fresh))
  else if (look.fresh.list !== fresh.list) {
    setLook({ ...look, fresh, news: changesBetween(look.fresh, fresh) || look.news })
  }
  return { ...steadyRows(fresh, look.seen), news: look.news, showNew: () => setLook(lookAt(fresh)) }
}

function changesBetween(before: Rows, after: Rows): string {
  const states = new Map<string, TaskStatus>(
    [...before.above, ...before.list].map((row) => [row.id, row.status]),
  )
  const rows = new Map([...after.above, ...after.list].map((row) => [row.id, row]))
  return [...rows.values()]
    .filter(({ id, status }) => states.has(id) && states.get(id) !== status)
    .map(({ inputName, status }) => `${shortName(visibleName(inputName))}: ${STATES[status].word}.`)
    .join(' ')
}
