import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { testContext } from '~/testing/context'
import { testDatabase } from '~/testing/database'
import { createFile, createUser } from '~/testing/factories'
import { brokenStorage } from '~/testing/invariants'
import { testStorage } from '~/testing/storage'
import { scheduled } from './scheduled'

const database = testDatabase()

beforeEach(() => void vi.spyOn(console, 'log').mockImplementation(() => {}))
afterEach(() => void vi.restoreAllMocks())

/** A round of that minute. Answers its steps, in order, with what became of each. */
async function round(minute: number): Promise<[string, string][]> {
  vi.mocked(console.log).mockClear()
  const environment = {
    APP_ORIGIN: 'http://localhost:8787',
    AUTH_SECRET: 'a secret of at least thirty-two characters',
    DATABASE_URL: database.url,
    STORAGE: await testStorage(),
    TASK_DEAD_QUEUE_NAME: 'millrace-tasks-dead',
  }
  const scheduledTime = Date.UTC(2026, 2, 1, 12, minute)
  await scheduled({ scheduledTime, cron: '* * * * *', noRetry: () => {} }, environment)
  const lines = vi.mocked(console.log).mock.calls.map(([line]) => JSON.parse(String(line)) as Line)
  return lines.filter(({ event }) => event === 'maintenance.step').map(({ step, outcome }) => [step, outcome])
}

interface Line {
  event: string
  step: string
  outcome: string
}

test('a round removes what was deleted with its account, and what expired, in one go', async () => {
  const ctx = await testContext(database)
  const gone = (await createUser(ctx)).id
  await createFile(ctx, { userId: gone })
  await ctx.db.$client`delete from "user" where id = ${gone}`
  const userId = (await createUser(ctx)).id
  await createFile(ctx, { userId, expiresAt: new Date(0) })
  const kept = await createFile(ctx, { userId })
  await round(5)
  const listed = await ctx.storage?.list()
  expect(listed?.objects.map(({ key }) => key)).toEqual([kept.objectKey])
  expect(await brokenStorage(ctx)).toEqual([])
})

test('tasks come before storage, every step ends well, and what can wait comes once an hour', async () => {
  const every = await round(59)
  expect(every.filter(([, outcome]) => outcome !== 'done')).toEqual([])
  const names = every.map(([step]) => step)
  expect(names.indexOf('deliver_due')).toBeLessThan(names.indexOf('set_due_files_aside'))
  expect(names.slice(-2)).toEqual(['set_due_files_aside', 'clean_storage'])

  const hourly = (await round(0)).slice(every.length)
  expect(hourly).toEqual(
    ['trash_orphans', 'prune_counters', 'prune_sessions', 'prune_reset_links'].map((step) => [step, 'done']),
  )
})
