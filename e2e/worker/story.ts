import { createHash } from 'node:crypto'
import type { Sql } from '../../app/db/client.server'
import { eventually } from '../../app/testing/eventually'
import type { Person } from '../../app/testing/person'
import { textIn } from '../../scripts/site/page-reading.mjs'
import type { Site } from '../../scripts/site/site.mjs'

/** What a chapter of the validation works with. */
export interface Story {
  site: Site
  /** The site's database, on one connection of its own. */
  sql: Sql
  signal: AbortSignal
  /** Everything that the Worker has printed so far. */
  events: WorkerEvents
  /** Names what is being done, does it, and says so when it is done. */
  step: <T>(name: string, act: () => Promise<T>) => Promise<T>
}

export class StepFailed extends Error {}

/** Steps of one pass: printed as they are done; one that fails is named, with what was answered. */
export function tellSteps(signal: AbortSignal): Story['step'] {
  return async (name, act) => {
    signal.throwIfAborted()
    const began = performance.now()
    try {
      const done = await act()
      const seconds = (performance.now() - began) / 1000
      console.log(`  ✓ ${name}${seconds >= 1 ? ` (${seconds.toFixed(1)} s)` : ''}`)
      return done
    } catch (error) {
      if (signal.aborted) throw error
      throw new StepFailed(`Failed: ${name}.\n${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

/** Throws an error that shows both, unless they are the same as JSON. */
export function same(what: string, actual: unknown, expected: unknown): void {
  const [seen, wanted] = [actual, expected].map((value) => JSON.stringify(value))
  if (seen !== wanted) throw new Error(`${what}: expected ${wanted}, got ${seen}`)
}

/** The answer, when it has this status; else throws an error that shows what was answered. */
export async function expectStatus(response: Response, status: number): Promise<Response> {
  if (response.status === status) return response
  const body = await response.text()
  const text = body.startsWith('<!') ? textIn(body) : body
  throw new Error(
    `${response.url} answered ${response.status} instead of ${status}:\n${text.slice(0, 2_000)}`,
  )
}

/** The JSON of an answer with this status. */
export async function expectJson<T>(response: Response, status: number): Promise<T> {
  return (await (await expectStatus(response, status)).json()) as T
}

/** An error's code in a JSON answer with this status. */
export async function expectError(response: Response, status: number, code: string): Promise<void> {
  const { error } = await expectJson<{ error: { code: string } }>(response, status)
  same(`the code in the answer of ${response.url}`, error.code, code)
}

export interface TaskJson {
  id: string
  status: string
  error: { code: string } | null
  attemptCount: number
  attempts: { outcome: string | null; error: { code: string } | null }[]
  deliveryFailedAt: string[]
  cancelRequestedAt: string | null
  result: { fileId: string; size: number } | null
}

export async function detailOf(person: Person, taskId: string): Promise<TaskJson> {
  return expectJson<TaskJson>(await person.get(`/api/tasks/${taskId}`), 200)
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

export interface WorkerEvent {
  event: string
  at: string
  taskId?: string
  leaseVersion?: number
  outcome?: string
  class?: string
}

export interface WorkerEvents {
  /** Takes a line that the Worker printed. */
  take: (line: string) => void
  /** Those of a kind so far, of one task when it is given. */
  of: (event: string, taskId?: string) => WorkerEvent[]
  /** Waits until there are so many of a kind. */
  waitFor: (
    event: string,
    options: { taskId?: string; atLeast: number; timeoutMs?: number },
  ) => Promise<WorkerEvent[]>
}

/** Collects the log events among the Worker's lines. */
export function collectEvents(signal: AbortSignal): WorkerEvents {
  const all: WorkerEvent[] = []
  const of: WorkerEvents['of'] = (event, taskId) =>
    all.filter((each) => each.event === event && (taskId === undefined || each.taskId === taskId))
  return {
    of,
    take: (line) => {
      if (line.startsWith('{"event":')) all.push(JSON.parse(line) as WorkerEvent)
    },
    waitFor: (event, { taskId, atLeast, timeoutMs }) =>
      eventually(
        `${atLeast} × ${event} in the Worker’s log`,
        () => Promise.resolve(of(event, taskId)),
        (found) => found.length >= atLeast,
        { signal, timeoutMs },
      ),
  }
}
