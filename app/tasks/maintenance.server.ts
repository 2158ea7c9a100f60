import { MAINTENANCE_STEP_MS } from '../config/limits'
import type { AppContext } from '../context.server'
import { describeError } from '../log.server'

/** One thing that a round does. `run` takes one bounded batch and answers how many items it looked at. */
export interface MaintenanceStep {
  name: string
  /** As many as `run` looks at in one turn: fewer looked at means that nothing more is due. */
  batch: number
  run: (ctx: AppContext) => Promise<number>
}

/** A context of the round's own and how to end it. */
export interface OpenedContext {
  app: AppContext
  close: () => Promise<void>
}

/**
 * One round of maintenance: the steps in their order, each with a time of its own. A step that fails or hangs never keeps
 * the later ones from running, and every step is safe to run twice or at the same time as another round. After a step
 * that failed, the next one gets a fresh context: a statement that hangs holds up its own connection only.
 */
export async function runMaintenance(
  steps: readonly MaintenanceStep[],
  openContext: () => OpenedContext,
): Promise<void> {
  let context = openContext()
  for (const step of steps) {
    const { app } = context
    const began = performance.now()
    const result = await runStep(step, app)
    app.log('maintenance.step', {
      step: step.name,
      ...result,
      milliseconds: Math.round(performance.now() - began),
    })
    if (result.outcome !== 'done') {
      // Not awaited: what hangs would hang here too.
      void context.close().catch(() => {})
      context = openContext()
    }
  }
  await context.close()
}

async function runStep(step: MaintenanceStep, app: AppContext): Promise<{ outcome: string; items: number }> {
  let items = 0
  try {
    await withinTime(async (isOver) => {
      let looked: number
      do {
        looked = await step.run(app)
        items += looked
      } while (looked >= step.batch && !isOver())
    })
    return { outcome: 'done', items }
  } catch (error) {
    if (error instanceof OutOfTime) return { outcome: 'out_of_time', items }
    return { outcome: 'failed', items, ...describeError(error) }
  }
}

class OutOfTime extends Error {}

async function withinTime(work: (isOver: () => boolean) => Promise<void>): Promise<void> {
  let over = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      over = true
      reject(new OutOfTime())
    }, MAINTENANCE_STEP_MS)
  })
  const working = work(() => over)
  // Once its time is up nobody waits for it any more; its failure is the step's that has been reported.
  working.catch(() => {})
  try {
    await Promise.race([working, timeout])
  } finally {
    clearTimeout(timer)
  }
}
