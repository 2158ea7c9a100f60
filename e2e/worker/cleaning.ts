import { holdAt } from '../../app/testing/holds'
import { logIn, signUp, type Person } from '../../app/testing/person'
import { compareStorage, filesOf, sendFiles, textFile } from './files'
import { expectStatus, same, type Story } from './story'

/** What the minute's round removes, each kind once; `strangers` are objects that nobody knows of and that are too young to go. */
export async function cleanUp(told: Story): Promise<string[]> {
  const { site, sql, step } = told
  const strangers: string[] = []

  await step('an expired file: not found at once, and the next round removes bytes and row', async () => {
    const owner = await signUp(site)
    const fileId = await owner.upload('soon over')
    await sql`update file set expires_at = clock_timestamp(), next_try_at = clock_timestamp() where id = ${fileId}`
    await expectStatus(await owner.get(`/files/${fileId}/download`), 410)
    await round(told)
    same('rows', (await filesOf(sql, owner)).length, 0)
    await compareStorage(told)
  })
  await step('an expired file that a task needs: kept until the task has ended', async () => {
    const owner = await signUp(site)
    const fileId = await owner.upload('one\r\n')
    const hold = await holdAt(sql, 'reserve')
    const taskId = await owner.submit(fileId)
    await hold.reached()
    await sql`update file set expires_at = clock_timestamp(), next_try_at = clock_timestamp() where id = ${fileId}`
    await round(told)
    same(
      'the file',
      (await filesOf(sql, owner)).map(({ id, state }) => [id, state]),
      [[fileId, 'ready']],
    )
    await hold.release()
    await owner.waitFor(taskId, 'succeeded')
    await sql`update file set next_try_at = clock_timestamp() where id = ${fileId}`
    await round(told)
    same(
      'the files',
      (await filesOf(sql, owner)).map(({ id }) => id === fileId),
      [false],
    )
    await compareStorage(told)
  })
  await step(
    'an upload whose Worker was killed between its bytes and its end: removed once it is given up',
    async () => {
      const owner = await signUp(site)
      const hold = await holdAt(sql, 'keep')
      const sending = sendFiles(owner, [textFile('cut off')]).catch(() => null)
      await hold.reached()
      await site.killWorker()
      await sending
      await hold.breakConnection()
      await hold.release()
      await site.restartWorker()
      const [row] = await filesOf(sql, owner)
      same('the row', row?.state, 'uploading')
      same('its object is there', (await (await site.bucket()).head(row!.object_key)) !== null, true)
      await round(told)
      same('the row, within its hour', (await filesOf(sql, owner))[0]?.state, 'uploading')
      await sql`update file set next_try_at = clock_timestamp() where id = ${row!.id}`
      await round(told)
      same('rows', (await filesOf(sql, owner)).length, 0)
      await compareStorage(told)
    },
  )
  await step(
    'a deleted account: nothing of it is left in the database, and the next round removes its bytes',
    async () => {
      const owner = await signUp(site)
      await expectStatus(
        await sendFiles(
          owner,
          [1, 2, 3].map((each) => textFile(`${each}`, `${each}.txt`)),
        ),
        303,
      )
      const keys = (await filesOf(sql, owner)).map(({ object_key }) => object_key)
      await sql`delete from "user" where email = ${owner.email}`
      same('rows', (await filesOf(sql, owner)).length, 0)
      same('trash', (await sql`select from object_trash where object_key in ${sql(keys)}`).length, 3)
      await compareStorage(told)
      await round(told)
      same('trash', (await sql`select from object_trash`).length, 0)
      await compareStorage(told)
    },
  )
  await step('an object that nobody knows of: left alone while it is young', async () => {
    const key = `millrace/${crypto.randomUUID()}`
    await (await site.bucket()).put(key, 'nobody’s')
    strangers.push(key)
    await sql`update orphan_scan set updated_at = clock_timestamp() - interval '1 day'`
    await round(told)
    await compareStorage(told, strangers)
  })
  return strangers
}

/** Without its bucket a site can delete nothing: what was deleted stays with its quota, and goes when the bucket is back. */
export async function deleteWithoutStorage({ site, sql, step }: Story, owner: Person): Promise<Person> {
  const person = await logIn(site, owner)
  await step('the bucket is away: a deleted file is gone for its owner, its row and quota stay', async () => {
    const [file] = await filesOf(sql, person)
    await expectStatus(await person.post(`/files/${file!.id}/delete`), 303)
    await expectStatus(await person.get(`/files/${file!.id}/download`), 404)
    await sql`update file set next_try_at = clock_timestamp() where id = ${file!.id}`
    await round({ site, sql })
    same(
      'the row',
      (await filesOf(sql, person)).map(({ state }) => state),
      ['deleting'],
    )
    const [use] = await sql<{ files: number }[]>`
      select u.file_count as files from storage_usage u join "user" p on p.id = u.user_id where p.email = ${owner.email}`
    same('files that count', use?.files, 1)
    const [line] = await sql<
      { later: boolean }[]
    >`select next_try_at > clock_timestamp() as later from file where id = ${file!.id}`
    same('it moved back in its line', line?.later, true)
  })
  return person
}

export async function finishDeletion(told: Story, owner: Person, strangers: string[]): Promise<void> {
  const { sql, step } = told
  await step(
    'the bucket is back: the next try removes bytes and row, and gives the quota back once',
    async () => {
      await sql`update file set next_try_at = clock_timestamp() where state = 'deleting'`
      await round(told)
      await round(told)
      same('rows', (await filesOf(sql, owner)).length, 0)
    },
  )
  await step('what the bucket holds is what the database says', async () => {
    console.log(`    ${await compareStorage(told, strangers)} objects`)
  })
}

async function round({ site }: Pick<Story, 'site' | 'sql'>): Promise<void> {
  same('the cron', await site.runCron(), 'ok')
}
