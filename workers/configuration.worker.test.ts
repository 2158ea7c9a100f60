import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Sql } from '~/db/client.server'
import { testContext } from '~/testing/context'
import { testDatabase } from '~/testing/database'
import { createFile } from '~/testing/factories'
import { signUp, type Person } from '~/testing/person'
import { testSite } from '~/testing/site'
import { submit, type SubmittedTask } from '~/testing/tasks'

for (const missing of ['STORAGE', 'TASK_QUEUE'] as const) {
  describe(`without ${missing}`, () => {
    const database = testDatabase()
    const site = testSite(database, { without: [missing] })

    let sql: Sql
    let ada: Person
    let task: SubmittedTask
    let spareFile: string

    beforeAll(async () => {
      const ctx = await testContext(database)
      sql = ctx.db.$client
      ada = await signUp(site)
      const [user] = await sql<{ id: string }[]>`select id from "user" where email = ${ada.email}`
      // What was there while the site was complete.
      task = await submit(ctx, { userId: user?.id })
      spareFile = (await createFile(ctx, { userId: task.userId })).id
    })
    beforeEach(async () => void (await sql`delete from rate_limit`))

    const stored = async () =>
      (
        await sql`
          select (select jsonb_agg(to_jsonb(t) order by id) from task t) as tasks,
                 (select jsonb_agg(to_jsonb(f) order by id) from file f) as files,
                 (select jsonb_agg(to_jsonb(u)) from storage_usage u) as usage,
                 (select count(*) from task_input_pin) as pins`
      )[0]

    /** The answer to a person and to a program says what is wrong with the site. */
    async function expectNotConfigured(response: Response) {
      expect(response.status).toBe(503)
      expect(await response.text()).toMatch(/NOT_CONFIGURED|isn’t completely set up/)
    }

    test('nothing can be submitted, and nothing is stored', async () => {
      const before = await stored()
      const fields = { fileId: spareFile, processor: 'text-normalize' }
      await expectNotConfigured(await ada.post('/tasks/new', { ...fields, requestKey: randomUUID() }))
      await expectNotConfigured(await ada.postJson('/api/tasks', fields, { 'idempotency-key': randomUUID() }))
      expect(await stored()).toEqual(before)
    })

    test('a submission of before is still answered with its task', async () => {
      const { fileId, requestKey, taskId } = task
      const fields = { fileId, processor: 'text-normalize', requestKey }
      expect((await ada.post('/tasks/new', fields)).headers.get('location')).toBe(`/tasks/${taskId}`)
    })

    test(missing === 'STORAGE' ? 'nothing can be uploaded' : 'files can be uploaded', async () => {
      const before = await stored()
      const form = new FormData()
      form.append('file', new File(['text'], 'notes.txt', { type: 'text/plain' }))
      const response = await ada.send('/files', { method: 'POST', body: form })
      if (missing === 'TASK_QUEUE') return expect(response.status).toBe(303)
      await expectNotConfigured(response)
      expect(await stored()).toEqual(before)
    })

    test('reading, cancelling and the minute’s round go on', async () => {
      for (const path of [
        '/tasks',
        '/files',
        `/tasks/${task.taskId}`,
        `/api/tasks/${task.taskId}`,
        '/healthz',
      ]) {
        expect([path, (await ada.get(path)).status]).toEqual([path, 200])
      }
      expect(await site.runCron()).toBe('ok')
      expect((await ada.post(`/tasks/${task.taskId}/cancel`)).status).toBe(303)
      expect((await ada.taskStatus(task.taskId)).status).toBe('canceled')
    })

    test('a failed task can’t be retried and stays as it is', async () => {
      await sql`update task set status = 'failed', error_code = 'DELIVERY_EXHAUSTED' where id = ${task.taskId}`
      const before = await stored()
      await expectNotConfigured(await ada.post(`/tasks/${task.taskId}/retry`, { attempts: '0' }))
      await expectNotConfigured(await ada.postJson(`/api/tasks/${task.taskId}/retry`, { attempts: 0 }))
      expect(await (await ada.get(`/tasks/${task.taskId}`)).text()).not.toContain('>Retry<')
      expect(await stored()).toEqual(before)
    })
  })
}
