import { cleanStorage, setDueFilesAside } from '../../app/files/cleanup.server'
import { deleteFile } from '../../app/files/deletion.server'
import { trashOrphans } from '../../app/files/orphans.server'
import { storeUpload } from '../../app/files/upload.server'
import { publishResult } from '../../app/tasks/results.server'
import { submitTask } from '../../app/tasks/submission.server'
import { createFile, createUser } from '../../app/testing/factories'
import { brokenStorage } from '../../app/testing/invariants'
import type { TestContext } from '../../app/testing/recording-context'
import { readTask, submit } from '../../app/testing/tasks'
import { claimFirst, count, gateAt, halves, readyToPublish, times } from './operations'
import type { Race } from './race'
import { must, SESSIONS, type Stage } from './sessions'

const DAY = 24 * 60 * 60_000

async function accountWithFiles({ ctx }: Stage, howMany: number) {
  const userId = (await createUser(ctx)).id
  const files = []
  for (let each = 0; each < howMany; each += 1) files.push(await createFile(ctx, { userId }))
  return { userId, files }
}

const outcomesOf = (answers: { outcome: string }[]) => answers.map(({ outcome }) => outcome)

/** The counters are the sum of the counted rows; answers how many rows there are in each state. */
async function statesOf({ ctx }: Stage, userId: string): Promise<Record<string, number>> {
  const rows = await ctx.db.$client<{ state: string; count: number }[]>`
    select state, count(*)::integer as count from file where user_id = ${userId} group by state`
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

/** Cleans all that can be due, and compares what the bucket holds with what the database says. */
export async function checkCleaned({ ctx }: Stage): Promise<void> {
  ctx.clock.now = new Date(Date.now() + DAY)
  await setDueFilesAside(ctx)
  while ((await cleanStorage(ctx)) > 0);
  ctx.clock.now = null
  const broken = await brokenStorage(ctx)
  must(broken.length === 0, 'the bucket holds what the database says', broken)
  const [left] = await ctx.db.$client<{ rows: number }[]>`
    select (select count(*) from file where state <> 'ready')::integer + (select count(*) from object_trash)::integer as rows`
  must(left?.rows === 0, 'cleaning leaves nothing behind', left)
}

const deletions: Race = {
  name: 'deleting one file, eight times',
  rounds: 14,
  async round(stage, gated) {
    const { userId, files } = await accountWithFiles(stage, 2)
    const fileId = files[0]!.id
    const outcomes = outcomesOf(
      await stage.atOnce(
        times(() => (session) => deleteFile(session, { userId, fileId })),
        gateAt(gated, 'file', fileId),
      ),
    )
    must(count(outcomes, 'deleted') === 1, 'it is deleted once', outcomes)
    must(count(outcomes, 'FILE_NOT_FOUND') === SESSIONS - 1, 'the others find nothing', outcomes)
    const states = await statesOf(stage, userId)
    must(states.ready === 1 && !states.deleting, 'the other file stays, and nothing else', states)
    await checkCleaned(stage)
    return 'one deleted, seven found nothing'
  },
}

const publishAgainstDeletingResult: Race = {
  name: 'publishing against deleting the result, four of each',
  rounds: 16,
  async round(stage, gated) {
    const { taskId, userId, lease, reservation } = await readyToPublish(stage)
    const { even: publications, odd } = await halves(
      stage,
      (session) => publishResult(session, lease, reservation),
      (session) => deleteFile(session, { userId, fileId: reservation.fileId }),
      gateAt(gated, 'file', reservation.fileId),
    )
    const outcomes = outcomesOf(odd)
    const seen = { publications, deletions: outcomes }
    const deleted = count(outcomes, 'deleted')
    must(count(publications, 'published') === 1, 'it is published once', seen)
    must(
      deleted <= 1 && deleted + count(outcomes, 'FILE_NOT_FOUND') === 4,
      'it is deleted once it is there',
      seen,
    )
    const task = await readTask(stage.ctx, taskId)
    must(task.result_file_id === reservation.fileId, 'the task names its result, also a deleted one', task)
    const states = await statesOf(stage, userId)
    must(states.ready === 2 - deleted, 'input and result are there, less what was deleted', states)
    await checkCleaned(stage)
    return deleted ? 'published, then deleted' : 'there was nothing to delete yet'
  },
}

const publishAgainstDeletingInput: Race = {
  name: 'publishing against deleting the input, four of each',
  rounds: 14,
  async round(stage) {
    const { userId, fileId, lease, reservation } = await readyToPublish(stage)
    const { even: publications, odd } = await halves(
      stage,
      (session) => publishResult(session, lease, reservation),
      (session) => deleteFile(session, { userId, fileId }),
      null,
    )
    const outcomes = outcomesOf(odd)
    const seen = { publications, deletions: outcomes }
    const deleted = count(outcomes, 'deleted')
    must(count(publications, 'published') === 1, 'it is published once', seen)
    must(deleted <= 1, 'the input is deleted once', seen)
    must(
      deleted + count(outcomes, 'FILE_IN_USE') + count(outcomes, 'FILE_NOT_FOUND') === 4,
      'before that it is in use',
      seen,
    )
    await checkCleaned(stage)
    return deleted ? 'published, then the input was deleted' : 'the input was in use'
  },
}

/** The sessions of maintenance are eight days ahead, so that the file has expired for them. */
function letItExpire({ sessions }: Stage) {
  sessions.forEach(({ clock }, index) => {
    if (index % 2 === 1) clock.now = new Date(Date.now() + 8 * DAY)
  })
}

const expiryAgainstClaim: Race = {
  name: 'claiming a task against the expiry of its input, four of each',
  rounds: 14,
  async round(stage) {
    const { taskId, fileId } = await submit(stage.ctx)
    letItExpire(stage)
    const { even: claims } = await halves(
      stage,
      claimFirst({ taskId, dispatchVersion: 1 }),
      setDueFilesAside,
      null,
    )
    const claimed = claims.flatMap((each) => (each.outcome === 'claimed' ? [each.lease] : []))
    must(claimed.length === 1, 'one claim wins', outcomesOf(claims))
    must(claimed[0]?.input.stored !== null, 'its input is there', claimed[0]?.input)
    const [file] = await stage.ctx.db.$client`select state from file where id = ${fileId}`
    must(file?.state === 'ready', 'a pinned input stays beyond its expiry', file)
    return 'claimed with its input'
  },
}

const expiryAgainstSubmit: Race = {
  name: 'submitting against the expiry of the file, four of each',
  rounds: 16,
  async round(stage) {
    const { userId, files } = await accountWithFiles(stage, 1)
    const fileId = files[0]!.id
    letItExpire(stage)
    const { even } = await halves(
      stage,
      (session) =>
        submitTask(session, {
          ...{ userId, fileId, processor: 'text-normalize', params: {} },
          requestKey: crypto.randomUUID(),
        }),
      setDueFilesAside,
      null,
    )
    const outcomes = outcomesOf(even)
    const states = await statesOf(stage, userId)
    const created = count(outcomes, 'created')
    must(created === 4 || created === 0, 'all tasks have the file, or none', { outcomes, states })
    must(states[created ? 'ready' : 'deleting'] === 1, 'a file with tasks stays, one without goes', {
      outcomes,
      states,
    })
    return created ? 'the submissions won' : 'the expiry won'
  },
}

const UPLOAD = new TextEncoder().encode('ten bytes\n')
const UPLOADS_EACH = 3

const store = (session: TestContext, userId: string, request: { key: string; index: number } | null = null) =>
  storeUpload(session, { userId, name: 'notes.txt', bytes: UPLOAD, accepts: ['text/plain'], request })

const uploadsAgainstQuota: Race = {
  name: `${SESSIONS * UPLOADS_EACH} uploads at once against the quota of files, or of bytes`,
  rounds: 12,
  async round(stage, gated, number) {
    const userId = (await createUser(stage.ctx)).id
    const fits = 5 + (number % 3)
    const ofFiles = number % 2 === 0
    for (const { site } of stage.sessions) {
      if (ofFiles) site.files.maxCount = fits
      else site.files.quotaBytes = fits * UPLOAD.length + 9
    }
    const answers = await stage.atOnce(
      times(
        () => (session) => Promise.all(Array.from({ length: UPLOADS_EACH }, () => store(session, userId))),
      ),
      gateAt(gated, 'user', userId),
    )
    for (const { site } of stage.sessions) Object.assign(site.files, stage.ctx.site.files)
    const all = answers.flat()
    const stored = all.filter((answer) => 'fileId' in answer).length
    must(stored === fits, `${fits} fit and ${fits} are stored`, all)
    must(
      all.every((answer) => 'fileId' in answer || answer.refused === 'STORAGE_FULL'),
      'the others are told that it is full',
      all,
    )
    await checkCleaned(stage)
    return `as many as fit, by ${ofFiles ? 'files' : 'bytes'}`
  },
}

const sameUpload: Race = {
  name: 'one form’s upload sent by four, against deleting what it stored by the other four',
  rounds: 16,
  async round(stage) {
    const userId = (await createUser(stage.ctx)).id
    const request = { key: crypto.randomUUID(), index: 0 }
    const deleteWhatThereIs = async (session: TestContext) => {
      for (let look = 0; look < 10; look += 1) {
        const rows = await session.db.$client<{ id: string }[]>`
          select id from file where user_id = ${userId} and state = 'ready'`
        for (const { id } of rows) await deleteFile(session, { userId, fileId: id })
      }
    }
    const { even } = await halves(
      stage,
      (session) => store(session, userId, request),
      deleteWhatThereIs,
      null,
    )
    must(
      even.some((answer) => 'fileId' in answer),
      'at least one is told that it was stored',
      even,
    )
    // The bytes of one may have come when the file that another one stored was gone already.
    stage.ctx.clock.now = new Date(Date.now() + DAY)
    await trashOrphans(stage.ctx)
    await checkCleaned(stage)
    const { ready = 0 } = await statesOf(stage, userId)
    must(ready <= 1, 'the form has stored one file at a time', ready)
    return ready ? 'it is there' : 'it was deleted'
  },
}

const cleaning: Race = {
  name: 'cleaning twenty expired files, eight rounds of maintenance at once',
  rounds: 8,
  async round(stage) {
    const { userId } = await accountWithFiles(stage, 20)
    stage.setTime(new Date(Date.now() + 8 * DAY))
    const looked = await stage.atOnce(
      times(() => async (session) => {
        await setDueFilesAside(session)
        return cleanStorage(session)
      }),
      null,
    )
    while ((await cleanStorage(stage.ctx)) > 0);
    const states = await statesOf(stage, userId)
    must(Object.keys(states).length === 0, 'all of them are gone', states)
    await checkCleaned(stage)
    return looked.filter((each) => each > 0).length > 1 ? 'several rounds shared them' : 'one round did all'
  },
}

export const FILE_RACES: readonly Race[] = [
  deletions,
  publishAgainstDeletingResult,
  publishAgainstDeletingInput,
  expiryAgainstClaim,
  expiryAgainstSubmit,
  uploadsAgainstQuota,
  sameUpload,
  cleaning,
]
