import { signUp } from '../../app/testing/person'
import { compareStorage, filesOf, sendFiles, textFile } from './files'
import { expectStatus, same, type Story } from './story'

/** As app/config/site.ts sets them, and this validation expects them to be. */
const MAX_FILES = 200
const WRITES_PER_MINUTE = 60

/** As many uploads at once as there may be, and twenty more than there is room for. */
export async function fillUp(told: Story): Promise<void> {
  const { site, sql, step } = told
  const owner = await signUp(site)
  const room = 10
  await step(`${MAX_FILES - room} files kept, in a few forms of ${WRITES_PER_MINUTE - 10}`, async () => {
    for (let kept = 0; kept < MAX_FILES - room;) {
      const count = Math.min(WRITES_PER_MINUTE - 10, MAX_FILES - room - kept)
      await passMinute(sql)
      const uploads = Array.from({ length: count }, (_, index) =>
        textFile(`${kept + index}`, `${kept + index}.txt`),
      )
      await expectStatus(await sendFiles(owner, uploads), 303)
      kept += count
    }
    same('files', (await filesOf(sql, owner)).length, MAX_FILES - room)
  })
  await step(
    `20 uploads at once with room for ${room}: ${room} kept, the others refused as STORAGE_FULL`,
    async () => {
      await passMinute(sql)
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          sendFiles(owner, [textFile(`more ${index}`, `more ${index}.txt`)]),
        ),
      )
      same('answers', tally(answers.map(({ status }) => status)), { 303: room, 409: 20 - room })
      same('files', (await filesOf(sql, owner)).length, MAX_FILES)
      await compareStorage(told)
    },
  )
  await step('one deleted makes room for exactly one', async () => {
    await passMinute(sql)
    const [first] = await filesOf(sql, owner)
    await expectStatus(await owner.post(`/files/${first!.id}/delete`), 303)
    const answers = await Promise.all([1, 2, 3].map((each) => sendFiles(owner, [textFile(`again ${each}`)])))
    same('answers', tally(answers.map(({ status }) => status)), { 303: 1, 409: 2 })
    await compareStorage(told)
  })
}

/** More uploads in a minute than are allowed. */
export async function sendTooOften({ site, sql, step }: Story): Promise<void> {
  const owner = await signUp(site)
  await step(
    `${WRITES_PER_MINUTE + 1} files in one minute: the last is refused with 429 and Retry-After`,
    async () => {
      await atMinuteStart(sql)
      const uploads = Array.from({ length: WRITES_PER_MINUTE + 1 }, (_, index) =>
        textFile(`${index}`, `${index}.txt`),
      )
      const refused = await expectStatus(await sendFiles(owner, uploads), 429)
      same('Retry-After', refused.headers.get('retry-after'), '60')
      same('files', (await filesOf(sql, owner)).length, WRITES_PER_MINUTE)
      await expectStatus(await sendFiles(owner, [textFile('one more')]), 429)
      await expectStatus(await owner.post(`/files/${(await filesOf(sql, owner))[0]!.id}/delete`), 429)
    },
  )
  await step('a minute later uploads are taken again, and another account never noticed', async () => {
    await expectStatus(await sendFiles(await signUp(site), [textFile('mine')]), 303)
    await passMinute(sql)
    await expectStatus(await sendFiles(owner, [textFile('one more')]), 303)
  })
}

/** Counters count whole minutes: as if all of them were over. */
async function passMinute(sql: Story['sql']): Promise<void> {
  await sql`delete from rate_limit`
}

/** What is counted now shall not run over into the next minute. */
async function atMinuteStart(sql: Story['sql']): Promise<void> {
  const [now] = await sql<
    { seconds: number }[]
  >`select extract(second from clock_timestamp())::float8 as seconds`
  const left = 60 - now!.seconds
  if (left < 20) await new Promise((resolve) => setTimeout(resolve, left * 1000))
}

function tally(statuses: number[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
