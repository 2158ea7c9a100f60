import { beforeAll, expect, test } from 'vitest'
import type { Sql } from '~/db/client.server'
import { testDatabase } from '~/testing/database'
import { holdAt, refuseClaims } from '~/testing/holds'
import { passLease, passRedelivery } from '~/testing/passing-time'
import { signUp, type Person } from '~/testing/person'
import { testSite } from '~/testing/site'

const database = testDatabase()
const site = testSite(database)

const TEXT = 'one \r\ntwo\t\rthree\n\r\nfour'
const NORMALIZED = 'one\ntwo\nthree\n\nfour'

let sql: Sql
let ada: Person
beforeAll(async () => {
  sql = database.connect().$client
  ada = await signUp(site)
})

async function submitText(): Promise<string> {
  return ada.submit(await ada.upload(TEXT), { params: { trimTrailing: true } })
}

/** What exists of a task's results: its rows, its objects and its part of the account's quota. */
async function expectOneCorrectResult(taskId: string) {
  const download = await ada.get(`/api/tasks/${taskId}/result`)
  expect(download.status).toBe(200)
  expect(await download.text()).toBe(NORMALIZED)

  expect(await site.runCron()).toBe('ok')
  const results = await sql<{ state: string; object_key: string }[]>`
    select state, object_key from file where task_id = ${taskId}`
  expect(results.map(({ state }) => state)).toEqual(['ready'])
  const [use] = await sql`
    select u.file_count::integer = count(f.*)::integer as files, u.byte_count = sum(f.byte_size) as bytes
      from storage_usage u join file f on f.user_id = u.user_id group by u.user_id, u.file_count, u.byte_count`
  expect(use).toEqual({ files: true, bytes: true })
  const stored = await (await site.bucket()).list()
  const rows = await sql<{ object_key: string }[]>`select object_key from file`
  expect(stored.objects.map(({ key }) => key).sort()).toEqual(rows.map((row) => row.object_key).sort())
  expect(await sql`select from task_input_pin`).toHaveLength(0)
}

const attemptsOf = async (taskId: string) =>
  (
    await sql<{ outcome: string | null }[]>`
    select outcome from task_attempt where task_id = ${taskId} order by lease_version`
  ).map(({ outcome }) => outcome)

for (const [where, point] of [
  ['before it reserved its result', 'reserve'],
  ['between writing and publishing its result', 'publish'],
] as const) {
  test(`a worker killed ${where} leaves one correct result, after its lease ran out`, async () => {
    const hold = await holdAt(sql, point)
    const taskId = await submitText()
    await hold.reached()
    await site.killWorker()
    await hold.breakConnection()
    await hold.release()
    await site.restartWorker()

    // Nobody else may touch it while the lease lasts.
    expect(await site.runCron()).toBe('ok')
    expect((await ada.taskStatus(taskId)).status).toBe('running')
    expect((await ada.get(`/api/tasks/${taskId}/result`)).status).toBe(409)

    expect(await passLease(sql, taskId)).toBe(true)
    expect(await site.runCron()).toBe('ok')
    await ada.waitFor(taskId, 'succeeded')
    expect(await attemptsOf(taskId)).toEqual(['lease_lost', 'succeeded'])
    await expectOneCorrectResult(taskId)
  })
}

test('a worker whose connection is cut behind its claim says so and is retried, without waiting for its lease', async () => {
  const hold = await holdAt(sql, 'reserve')
  const taskId = await submitText()
  await hold.reached()
  await hold.breakConnection()
  await hold.release()
  await ada.waitFor(taskId, 'retry_wait')
  expect(await attemptsOf(taskId)).toEqual(['failed'])
  await ada.post(`/tasks/${taskId}/cancel`)
})

test('a worker killed while its publication commits has published, once', async () => {
  const hold = await holdAt(sql, 'publish')
  const taskId = await submitText()
  await hold.reached()
  await site.killWorker()
  // The database has the whole statement: it goes on without anybody who would hear the answer.
  await hold.release()
  await site.restartWorker()
  await ada.waitFor(taskId, 'succeeded')

  // The queue may bring the message again to whoever comes after the killed worker.
  const [task] = await sql<{ dispatch_version: number }[]>`
    select dispatch_version from task where id = ${taskId}`
  await (await site.queueProducer()).send({ taskId, dispatchVersion: task?.dispatch_version })
  await expect.poll(() => claimsOf(taskId)).toEqual(['claimed', 'stale'])
  expect(await attemptsOf(taskId)).toEqual(['succeeded'])
  await expectOneCorrectResult(taskId)
})

/** What became of the messages about a task. */
const claimsOf = (taskId: string) =>
  site.workerLines
    .filter((line) => line.includes('"task.claim"') && line.includes(taskId))
    .map((line) => (JSON.parse(line) as { outcome: string }).outcome)

test('tasks that stood in line finish although a restart lost the queue', async () => {
  const acceptClaims = await refuseClaims(sql)
  const taskIds = [await submitText(), await submitText(), await submitText()]
  for (const taskId of taskIds) await ada.waitFor(taskId, 'queued')
  await site.restartWorker()
  await acceptClaims()

  // Nothing is due and the queue has forgotten them.
  expect(await site.runCron()).toBe('ok')
  for (const taskId of taskIds) expect((await ada.taskStatus(taskId)).status).toBe('queued')

  for (const taskId of taskIds) expect(await passRedelivery(sql, taskId)).toBe(true)
  expect(await site.runCron()).toBe('ok')
  for (const taskId of taskIds) {
    await ada.waitFor(taskId, 'succeeded')
    // Deliveries use up no attempt.
    expect(await attemptsOf(taskId)).toEqual(['succeeded'])
    await expectOneCorrectResult(taskId)
  }
})
