import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hasEnded, TASK_STATUSES, type TaskStatus } from '../config/task-statuses'
import { testContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { TRANSITIONS } from './states'

const database = testDatabase()

describe('the state machine', () => {
  it('is the diagram in docs/tasks.md', () => {
    const text = readFileSync(new URL('../../docs/tasks.md', import.meta.url), 'utf8')
    const drawn = [...text.matchAll(/^ +(\w+) --> (\w+)/gm)].map(([, from, to]) => `${from} → ${to}`).sort()
    const table = TASK_STATUSES.flatMap((from) => TRANSITIONS[from].map((to) => `${from} → ${to}`)).sort()
    expect(drawn).toEqual(table)
  })

  it('ends only in ended states, and only a failure begins again', () => {
    for (const status of TASK_STATUSES) {
      const leaves = TRANSITIONS[status] as readonly TaskStatus[]
      if (hasEnded(status)) expect(leaves).toEqual(status === 'failed' ? ['pending'] : [])
    }
  })

  it('has an end within reach of every active state', () => {
    for (const status of TASK_STATUSES.filter((each) => !hasEnded(each))) {
      expect(TRANSITIONS[status] as readonly TaskStatus[]).toEqual(
        expect.arrayContaining(['failed', 'canceled']),
      )
    }
  })

  it('lets every waiting state be claimed', () => {
    for (const status of ['pending', 'queued', 'retry_wait'] as const)
      expect(TRANSITIONS[status]).toContain('running')
  })

  it('names the states that the database knows', async () => {
    const ctx = await testContext(database)
    const [check] = await ctx.db.$client<{ definition: string }[]>`
      select pg_get_constraintdef(oid) as definition from pg_constraint where conname = 'task_status'`
    const known = [...check!.definition.matchAll(/'(\w+)'/g)].map(([, status]) => status)
    expect(known.sort()).toEqual([...TASK_STATUSES].sort())
  })
})
