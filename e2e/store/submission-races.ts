import { deleteFile } from '../../app/files/deletion.server'
import { submitTask, type Submission } from '../../app/tasks/submission.server'
import { createFile, createUser } from '../../app/testing/factories'
import { readTask, submit } from '../../app/testing/tasks'
import { count, gateAt, halves, times } from './operations'
import type { Race } from './race'
import { must, SESSIONS, type Stage } from './sessions'

const PROCESSOR = 'text-normalize'

async function accountWithFile({ ctx }: Stage) {
  const userId = (await createUser(ctx)).id
  return { userId, file: await createFile(ctx, { userId }) }
}

async function countTasks({ ctx }: Stage): Promise<number> {
  const [row] = await ctx.db.$client<{ count: number }[]>`select count(*)::integer as count from task`
  return row!.count
}

const outcomesOf = (answers: { outcome: string }[]) => answers.map(({ outcome }) => outcome)

/** One form sent by five sessions, and by three more with its box ticked, as the last task that the account may have. */
const idempotency: Race = {
  name: 'submitting under one key, with two kinds of inputs',
  rounds: 20,
  async round(stage, gated) {
    const { userId, file } = await accountWithFile(stage)
    for (let other = 1; other < stage.ctx.site.tasks.maxActive; other += 1)
      await submit(stage.ctx, { userId })
    const requestKey = crypto.randomUUID()
    const trimming = [false, false, false, false, false, true, true, true]
    const answers = await stage.atOnce(
      trimming.map(
        (trimTrailing) => (session) =>
          submitTask(session, {
            userId,
            requestKey,
            fileId: file.id,
            processor: PROCESSOR,
            params: { trimTrailing },
          }),
      ),
      gateAt(gated, 'user', userId),
    )
    const first = answers.findIndex(({ outcome }) => outcome === 'created')
    must(first >= 0, 'one of the requests makes the task', answers)
    const { taskId } = answers[first] as Extract<Submission, { outcome: 'created' }>
    answers.forEach((answer, index) => {
      if (index === first) return
      const expected = trimming[index] === trimming[first] ? 'repeated' : 'REQUEST_CONFLICT'
      must(
        answer.outcome === expected && answer.taskId === taskId,
        'the others get that task, or a conflict',
        answers,
      )
    })
    must(
      (await countTasks(stage)) === stage.ctx.site.tasks.maxActive,
      'one task is stored',
      await countTasks(stage),
    )
    const sent = stage.sessions.flatMap((session) => session.sent)
    must(sent.length === 1 && sent[0]?.taskId === taskId, 'one message is sent', sent)
    return trimming[first] ? 'the ticked form won' : 'the plain form won'
  },
}

const activeLimit: Race = {
  name: 'submitting up to the active limit, eight different keys',
  rounds: 20,
  async round(stage, gated, number) {
    const { userId, file } = await accountWithFile(stage)
    const { maxActive } = stage.ctx.site.tasks
    const free = 1 + (number % maxActive)
    for (let active = free; active < maxActive; active += 1) await submit(stage.ctx, { userId })
    const answers = await stage.atOnce(
      times(
        () => (session) =>
          submitTask(session, {
            ...{ userId, fileId: file.id, processor: PROCESSOR, params: {} },
            requestKey: crypto.randomUUID(),
          }),
      ),
      gateAt(gated, 'user', userId),
    )
    const outcomes = outcomesOf(answers)
    must(count(outcomes, 'created') === free, `${free} slots are free and ${free} are taken`, outcomes)
    must(count(outcomes, 'ACTIVE_LIMIT') === SESSIONS - free, 'the others meet the limit', outcomes)
    must(
      (await countTasks(stage)) === maxActive,
      'as many tasks as the limit allows',
      await countTasks(stage),
    )
    return `${free} of 8 accepted`
  },
}

const submitAgainstDelete: Race = {
  name: 'submitting against deleting the same file, four of each',
  rounds: 30,
  async round(stage, gated) {
    const { ctx } = stage
    const { userId, file } = await accountWithFile(stage)
    const { even, odd } = await halves(
      stage,
      (session) =>
        submitTask(session, {
          ...{ userId, fileId: file.id, processor: PROCESSOR, params: {} },
          requestKey: crypto.randomUUID(),
        }),
      (session) => deleteFile(session, { userId, fileId: file.id }),
      gateAt(gated, 'file', file.id),
    )
    const submissions = outcomesOf(even)
    const deletions = outcomesOf(odd)
    const seen = { submissions, deletions }
    const rows = await ctx.db.$client<{ state: string }[]>`select state from file where id = ${file.id}`
    const object = await ctx.storage!.head(file.objectKey)
    if (count(deletions, 'deleted') === 0) {
      must(count(submissions, 'created') === 4, 'a file that is not deleted takes all four tasks', seen)
      must(count(deletions, 'FILE_IN_USE') === 4, 'every deletion learns that the file is in use', seen)
      must(rows[0]?.state === 'ready' && object !== null, 'the file and its object are there', rows)
      for (const { taskId } of even) {
        must(taskId !== null && (await readTask(ctx, taskId)).pinned, 'every task pins its input', taskId)
      }
      return 'the submissions won'
    }
    must(count(deletions, 'deleted') === 1, 'the file is deleted once', seen)
    must(count(deletions, 'FILE_NOT_FOUND') === 3, 'the other deletions find nothing', seen)
    must(count(submissions, 'FILE_NOT_FOUND') === 4, 'no task is made for a deleted file', seen)
    must(rows.length === 0 && object === null, 'row and object are gone', rows)
    must((await countTasks(stage)) === 0, 'no task is stored', await countTasks(stage))
    return 'a deletion won'
  },
}

export const SUBMISSION_RACES: readonly Race[] = [idempotency, activeLimit, submitAgainstDelete]
