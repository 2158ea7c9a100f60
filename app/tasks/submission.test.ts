import { beforeAll, describe, expect, it } from 'vitest'
import { testContext, type TestContext } from '../testing/context'
import { testDatabase } from '../testing/database'
import { createFile, createUser } from '../testing/factories'
import { meetAtLock } from '../testing/holds'
import { claim, queueMessage, readTask, submit } from '../testing/tasks'
import { endAttempt } from './attempt-end.server'
import { cancelTask } from './cancellation.server'
import { consumeMessages } from './consumer.server'
import { retryTask } from './retry.server'
import { submitTask, type SubmissionRequest } from './submission.server'

const database = testDatabase()
let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext(database)
})

async function request(overrides: Partial<SubmissionRequest> = {}): Promise<SubmissionRequest> {
  const userId = overrides.userId ?? (await createUser(ctx)).id
  return {
    userId,
    requestKey: crypto.randomUUID(),
    fileId: overrides.fileId ?? (await createFile(ctx, { userId })).id,
    processor: 'text-normalize',
    params: { trimTrailing: true },
    ...overrides,
  }
}

async function countTasks(userId: string): Promise<number> {
  const [row] = await ctx.db.$client<{ count: number }[]>`
    select count(*)::integer as count from task where user_id = ${userId}`
  return row!.count
}

describe('submitting', () => {
  it('stores the task with its pin and delivers it once', async () => {
    const wanted = await request()
    const before = ctx.sent.length
    const { outcome, taskId } = await submitTask(ctx, wanted)
    expect(outcome).toBe('created')
    expect(await readTask(ctx, taskId!)).toMatchObject({
      status: 'queued',
      pinned: true,
      dispatch_version: 1,
      delivery_token: null,
    })
    expect(ctx.sent.slice(before)).toMatchObject([{ taskId, dispatchVersion: 1 }])
  })

  it('returns the same task for the same request, also after it ended and its file is gone', async () => {
    const wanted = await request()
    const first = await submitTask(ctx, wanted)
    await consumeMessages(ctx, [queueMessage({ taskId: first.taskId, dispatchVersion: 1 })])
    await ctx.db.$client`delete from file where id = ${wanted.fileId}`
    expect(await submitTask(ctx, wanted)).toEqual({ outcome: 'repeated', taskId: first.taskId })
    expect(await countTasks(wanted.userId)).toBe(1)
  })

  it('takes parameters that say the same in another way for the same request', async () => {
    const wanted = await request({ params: {} })
    const first = await submitTask(ctx, wanted)
    expect(await submitTask(ctx, { ...wanted, params: { trimTrailing: false } })).toEqual({
      outcome: 'repeated',
      taskId: first.taskId,
    })
  })

  it('refuses a used key with other inputs and names the task it made', async () => {
    const wanted = await request()
    const first = await submitTask(ctx, wanted)
    const other = (await createFile(ctx, { userId: wanted.userId })).id
    const conflict = { outcome: 'REQUEST_CONFLICT', taskId: first.taskId }
    expect(await submitTask(ctx, { ...wanted, fileId: other })).toEqual(conflict)
    expect(await submitTask(ctx, { ...wanted, params: {} })).toEqual(conflict)
    expect(await countTasks(wanted.userId)).toBe(1)
  })

  it('keeps the keys of two accounts apart', async () => {
    const one = await request()
    const other = await request({ requestKey: one.requestKey })
    expect((await submitTask(ctx, one)).outcome).toBe('created')
    expect((await submitTask(ctx, other)).outcome).toBe('created')
  })

  it('makes one task of a form sent eight times at once with four others active', async () => {
    const wanted = await request()
    for (let other = 0; other < 4; other++) await submit(ctx, { userId: wanted.userId })
    const sessions = await Promise.all(
      Array.from({ length: 8 }, () => testContext(database, { site: ctx.site, storage: ctx.storage })),
    )
    const answers = await meetAtLock(ctx.db.$client, { table: 'user', id: wanted.userId }, () =>
      sessions.map((session) => submitTask(session, wanted)),
    )
    expect(new Set(answers.map((answer) => answer.taskId)).size).toBe(1)
    expect(answers.map((answer) => answer.outcome).sort()).toEqual(['created', ...Array(7).fill('repeated')])
    expect(await countTasks(wanted.userId)).toBe(5)
  })

  it('never lets two submissions at once pass the limit of active tasks', async () => {
    const userId = (await createUser(ctx)).id
    for (let other = 0; other < 4; other++) await submit(ctx, { userId })
    const wanted = await Promise.all(Array.from({ length: 8 }, () => request({ userId })))
    const sessions = await Promise.all(
      wanted.map(() => testContext(database, { site: ctx.site, storage: ctx.storage })),
    )
    const answers = await meetAtLock(ctx.db.$client, { table: 'user', id: userId }, () =>
      wanted.map((each, index) => submitTask(sessions[index]!, each)),
    )
    expect(answers.map((answer) => answer.outcome).sort()).toEqual([
      ...Array(7).fill('ACTIVE_LIMIT'),
      'created',
    ])
  })

  it('frees the slot of a task that ended', async () => {
    const userId = (await createUser(ctx)).id
    const tasks = []
    for (let each = 0; each < 5; each++) tasks.push(await submit(ctx, { userId }))
    expect((await submitTask(ctx, await request({ userId }))).outcome).toBe('ACTIVE_LIMIT')
    await cancelTask(ctx, { userId, taskId: tasks[0]!.taskId })
    expect((await submitTask(ctx, await request({ userId }))).outcome).toBe('created')
  })

  it.each<[string, (wanted: SubmissionRequest) => Promise<void> | void, string]>([
    ['a processor that does not exist', (wanted) => void (wanted.processor = 'rm -rf'), 'INVALID_INPUT'],
    ['a parameter that does not exist', (wanted) => void (wanted.params = { shell: 'sh' }), 'INVALID_INPUT'],
    ['a file that does not exist', (wanted) => void (wanted.fileId = crypto.randomUUID()), 'FILE_NOT_FOUND'],
    [
      'somebody else’s file',
      async (wanted) =>
        void (wanted.fileId = (await createFile(ctx, { userId: (await createUser(ctx)).id })).id),
      'FILE_NOT_FOUND',
    ],
    [
      'a file that is being deleted',
      async (wanted) =>
        void (await ctx.db.$client`update file set state = 'deleting' where id = ${wanted.fileId}`),
      'FILE_NOT_FOUND',
    ],
    [
      'an expired file',
      async (wanted) =>
        void (await ctx.db
          .$client`update file set expires_at = now() - interval '1 second' where id = ${wanted.fileId}`),
      'FILE_EXPIRED',
    ],
    [
      'a file of a type that the processor does not take',
      async (wanted) =>
        void (await ctx.db.$client`update file set content_type = 'image/png' where id = ${wanted.fileId}`),
      'FILE_TYPE_UNSUPPORTED',
    ],
    ['a quote that is not the price', (wanted) => void (wanted.quotedPrice = 3), 'QUOTE_CHANGED'],
  ])('refuses %s and stores nothing', async (_, spoil, code) => {
    const wanted = await request()
    await spoil(wanted)
    expect(await submitTask(ctx, wanted)).toEqual({ outcome: code, taskId: null })
    expect(await countTasks(wanted.userId)).toBe(0)
  })

  it.each([
    ['switched off', 'DISABLED'],
    ['without a queue', 'NOT_CONFIGURED'],
    ['without storage', 'NOT_CONFIGURED'],
  ])('on a site %s it refuses new requests and still answers repeats', async (how, code) => {
    const wanted = await request()
    const first = await submitTask(ctx, wanted)
    const site = structuredClone(ctx.site)
    if (how === 'switched off') site.tasks.enabled = false
    const limited = {
      ...ctx,
      site,
      queue: how === 'without a queue' ? null : ctx.queue,
      storage: how === 'without storage' ? null : ctx.storage,
    }
    expect(await submitTask(limited, wanted)).toEqual({ outcome: 'repeated', taskId: first.taskId })
    expect(await submitTask(limited, await request({ userId: wanted.userId }))).toEqual({
      outcome: code,
      taskId: null,
    })
    expect(await countTasks(wanted.userId)).toBe(1)
  })

  it('leaves the task pending and due when the queue does not take the message', async () => {
    ctx.failNextSends(1)
    const { taskId, userId } = await submit(ctx)
    expect(await readTask(ctx, taskId)).toMatchObject({
      status: 'pending',
      send_failed_count: 1,
      attempt_count: 0,
    })
    expect(await countTasks(userId)).toBe(1)
  })

  it('lets the submission or the deletion of its file win, never both', async () => {
    for (let round = 0; round < 20; round++) {
      const wanted = await request()
      const [one, other] = await Promise.all([testContext(database), testContext(database)])
      const [submission] = await Promise.all([
        submitTask({ ...one, site: ctx.site }, wanted),
        other.db.$client`select * from engine.begin_file_deletion(null, ${wanted.userId}, ${wanted.fileId})`,
      ])
      const [file] = await ctx.db.$client<
        { state: string }[]
      >`select state from file where id = ${wanted.fileId}`
      expect(file?.state).toBe(submission.outcome === 'created' ? 'ready' : 'deleting')
      expect(['created', 'FILE_NOT_FOUND']).toContain(submission.outcome)
    }
  })

  it('keeps the input that a running task needs', async () => {
    const { taskId, fileId } = await submit(ctx)
    await claim(ctx, taskId)
    await expect(ctx.db.$client`delete from file where id = ${fileId}`).rejects.toMatchObject({
      code: '23503',
    })
  })
})

describe('a site that asks for a captcha', () => {
  /** A verifier that takes each token once, for the action it was made for. */
  function withCaptcha() {
    const asked: string[] = []
    const spent = new Set<string>()
    const site = {
      ...ctx,
      captcha: (token: string | null, action: string) => {
        asked.push(`${action} ${token}`)
        const good = token?.startsWith(action) === true && !spent.has(token)
        if (token) spent.add(token)
        return Promise.resolve(good)
      },
    }
    return { site, asked }
  }

  it('takes a submission with a token for it, and refuses one without and stores nothing', async () => {
    const { site } = withCaptcha()
    for (const captchaToken of [undefined, 'nonsense', 'task_retry 1']) {
      const wanted = await request({ captchaToken })
      expect(await submitTask(site, wanted)).toEqual({ outcome: 'CAPTCHA_FAILED', taskId: null })
      expect(await countTasks(wanted.userId)).toBe(0)
    }
    expect((await submitTask(site, await request({ captchaToken: 'task_submit 1' }))).outcome).toBe('created')
  })

  it('answers a repeat without looking at its spent token, which is part of no fingerprint', async () => {
    const { site, asked } = withCaptcha()
    const wanted = await request({ captchaToken: 'task_submit 2' })
    const { taskId } = await submitTask(site, wanted)
    for (const captchaToken of ['task_submit 2', 'task_submit 3', undefined]) {
      expect(await submitTask(site, { ...wanted, captchaToken })).toEqual({ outcome: 'repeated', taskId })
    }
    expect(asked).toHaveLength(1)
  })

  it('asks for one on a retry, but not on a repeat of it, and never to cancel', async () => {
    const { site } = withCaptcha()
    const { userId, taskId } = await submit(ctx)
    await endAttempt(ctx, await claim(ctx, taskId), { code: 'STORAGE_FULL' })
    const retry = (captchaToken?: string) => retryTask(site, { userId, taskId, attempts: 1, captchaToken })
    expect(await retry()).toBe('CAPTCHA_FAILED')
    expect(await retry('task_submit 4')).toBe('CAPTCHA_FAILED')
    expect(await retry('task_retry 4')).toBe('retried')
    expect(await retry('task_retry 4')).toBe('repeated')
    expect(await cancelTask(site, { userId, taskId })).toBe('canceled')
  })
})

describe('two accounts at their limits at once', () => {
  it('get what each may have, and no more', async () => {
    const users = [(await createUser(ctx)).id, (await createUser(ctx)).id]
    const wanted = await Promise.all(
      Array.from({ length: 16 }, (_, index) => request({ userId: users[index % 2]! })),
    )
    const sessions = await Promise.all(
      Array.from({ length: 8 }, () => testContext(database, { site: ctx.site, storage: ctx.storage })),
    )
    const answers = await Promise.all(
      wanted.map(async (each, index) => ({
        userId: each.userId,
        ...(await submitTask(sessions[index % 8]!, each)),
      })),
    )
    for (const userId of users) {
      const own = answers.filter((answer) => answer.userId === userId).map(({ outcome }) => outcome)
      expect(own.sort()).toEqual([
        ...Array<string>(3).fill('ACTIVE_LIMIT'),
        ...Array<string>(5).fill('created'),
      ])
    }
  })
})
