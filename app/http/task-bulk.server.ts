import * as z from 'zod'
import type { BulkReport } from '../components/types'
import { FAILURES, type FailureCode } from '../config/failures'
import { BULK_MAX, INTEGER_MAX } from '../config/limits'
import type { BulkOutcome, ShownFailure } from '../tasks/bulk.server'
import type { Cancellation } from '../tasks/cancellation.server'
import type { Retry } from '../tasks/retry.server'

/** How many tasks a form names; a form counts as at least one write. */
export function countChosen(form: URLSearchParams): number {
  return Math.max(1, new Set(form.getAll('taskId')).size)
}

const idsSchema = z.array(z.uuid()).min(1).max(BULK_MAX)

/** The tasks that a form names (`taskId`), each once. Null when there are none, too many, or one that is no id. */
export function parseChosen(form: URLSearchParams): string[] | null {
  return idsSchema.safeParse([...new Set(form.getAll('taskId'))]).data ?? null
}

const shownSchema = z.object({
  attempts: z.coerce.number().int().nonnegative().max(INTEGER_MAX).optional(),
  finishedAt: z.iso
    .datetime()
    .transform((text) => new Date(text))
    .optional(),
})

/**
 * The same with the failure that each was shown for: `attempts.<id>` and `finishedAt.<id>`, which stand in the list beside
 * the boxes, whether they are ticked or not.
 */
export function parseChosenFailures(form: URLSearchParams): ShownFailure[] | null {
  const taskIds = parseChosen(form)
  if (!taskIds) return null
  const failures: ShownFailure[] = []
  for (const taskId of taskIds) {
    const shown = shownSchema.safeParse({
      attempts: form.get(`attempts.${taskId}`) ?? undefined,
      finishedAt: form.get(`finishedAt.${taskId}`) ?? undefined,
    })
    if (!shown.success) return null
    failures.push({ taskId, ...shown.data })
  }
  return failures
}

type Did = BulkReport['did']

const CANCEL_TEXTS: Record<Exclude<Cancellation, FailureCode>, string> = {
  canceled: 'Canceled.',
  requested: 'Asked to stop. It ends as soon as its worker has stopped.',
  unchanged: 'It had ended before. Nothing was changed.',
}

const RETRY_TEXTS: Record<Exclude<Retry, FailureCode>, string> = {
  retried: 'Starts again.',
  repeated: 'Nothing was changed: it is under way, or was started again before.',
}

const TEXTS: Record<Did, Record<string, string>> = { cancel: CANCEL_TEXTS, retry: RETRY_TEXTS }

/**
 * The page that says what became of each task. It stands in the address, so that a reload, Back and a browser without
 * cookies for it show the same; what it names is looked up among the person's own tasks.
 */
export function bulkLocation(did: Did, outcomes: readonly BulkOutcome<string>[]): string {
  const items = outcomes.map(({ taskId, outcome }) => ['item', `${outcome}.${taskId}`])
  return `/tasks?${new URLSearchParams([['did', did], ...items])}`
}

/** What `bulkLocation` put into an address; nothing for what it didn't. */
export function readBulk(search: URLSearchParams): { did: Did; outcomes: BulkOutcome<string>[] } {
  const did = search.get('did') === 'retry' ? 'retry' : 'cancel'
  const outcomes = search
    .getAll('item')
    .slice(0, BULK_MAX)
    .flatMap((item) => {
      const [outcome = '', taskId = ''] = item.split('.')
      return isOutcome(did, outcome) && z.uuid().safeParse(taskId).success ? [{ taskId, outcome }] : []
    })
  return { did, outcomes }
}

const isOutcome = (did: Did, outcome: string) =>
  Object.hasOwn(TEXTS[did], outcome) || Object.hasOwn(FAILURES, outcome)

/** The report for the page; null when there is nothing to report. */
export function bulkReport(
  { did, outcomes }: ReturnType<typeof readBulk>,
  names: ReadonlyMap<string, string>,
): BulkReport | null {
  if (outcomes.length === 0) return null
  const items = outcomes.map(({ taskId, outcome }) => ({
    taskId,
    inputName: names.get(taskId) ?? null,
    text: TEXTS[did][outcome] ?? textOf(outcome as FailureCode),
    refused: !Object.hasOwn(TEXTS[did], outcome),
  }))
  return { did, items }
}

function textOf(code: FailureCode): string {
  if (code === 'NOT_FOUND') return 'There is no such task.'
  return `${FAILURES[code].message} ${FAILURES[code].next}`
}
