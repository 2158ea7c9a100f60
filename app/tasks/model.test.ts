import fc from 'fast-check'
import { beforeAll, it } from 'vitest'
import { TASK_STATUSES } from '../config/task-statuses'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { historyOf, World } from '../testing/histories'
import { TRANSITIONS } from './states'

/**
 * Random histories of everything that can happen to tasks, with time moved at random, on real PostgreSQL: after every
 * step the invariants hold, and in the end every task ends. A failing history shrinks and prints itself. `npm run model`
 * runs thousands; here a few keep the test honest.
 */
const RUNS = Number(process.env.MODEL_RUNS ?? 12)
const LENGTH = 40

const database = testDatabase()
let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext(database, { clock: { now: new Date('2026-03-01T12:00:00Z') } })
  // Every change of a status that any history makes is one that the state machine has.
  const allowed = TASK_STATUSES.flatMap((from) => TRANSITIONS[from].map((to) => `'${from} ${to}'`))
  await ctx.db.$client.unsafe(`
    create function only_transitions() returns trigger language plpgsql as $$
    begin
      if old.status <> new.status and old.status || ' ' || new.status not in (${allowed.join(', ')}) then
        raise exception '% became %', old.status, new.status;
      end if;
      return new;
    end $$;
    create trigger only_transitions before update on task for each row execute function only_transitions()`)
})

it(
  `${RUNS} random histories keep every invariant, and every task ends`,
  { timeout: Math.max(60_000, RUNS * 5_000) },
  async () => {
    await fc.assert(
      fc.asyncProperty(historyOf(LENGTH), async (history) => {
        const world = new World(ctx, () => testContext(database, { clock: ctx.clock, storage: ctx.storage }))
        await world.start()
        for (const step of history) {
          await world.take(step)
          await world.check(step)
        }
        await world.finish()
        await world.check({ do: 'recover' })
      }),
      {
        numRuns: RUNS,
        endOnFailure: false,
        seed: process.env.MODEL_SEED ? Number(process.env.MODEL_SEED) : undefined,
      },
    )
  },
)
