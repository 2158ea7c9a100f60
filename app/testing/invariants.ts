import type { AppContext } from '../context.server'
import type { Sql } from '../db/client.server'

/**
 * Everything that holds between the rows of tasks and files at every moment, whatever has happened, and that no check of
 * one row can show. Answers what is broken, as the rule's name and the row's id; nothing when all holds. Reads only.
 */
export async function brokenInvariants(
  sql: Sql,
  { maxActive }: { maxActive: number },
): Promise<{ rule: string; id: string }[]> {
  const broken = await sql<{ rule: string; id: string }[]>`
    select 'pin' as rule, t.id from task t
      left join task_input_pin p on p.task_id = t.id where (t.finished_at is null) <> (p.task_id is not null)
    union all
    select 'attempts', t.id from task t
     where t.attempt_count <> (select count(*) from task_attempt a where a.task_id = t.id)
        or (t.status = 'running') <> exists (select from task_attempt a where a.task_id = t.id and a.outcome is null)
    union all
    select 'results', t.id from task t
     where (select count(*) from file f where f.task_id = t.id and f.state = 'ready') > 1
        or exists (select from file f where f.task_id = t.id and f.state = 'ready' and f.id <> t.result_file_id)
        or exists (select from file f where f.task_id = t.id and f.state = 'ready' and t.status <> 'succeeded')
    union all
    select 'successes', t.id from task t
     where (select count(*) from task_attempt a where a.task_id = t.id and a.outcome = 'succeeded') <> (t.status = 'succeeded')::int
    union all
    select 'quota', u.user_id from storage_usage u
     where (u.file_count, u.byte_count) is distinct from
           (select (count(*)::integer, coalesce(sum(byte_size), 0)::bigint) from file f where f.user_id = u.user_id and f.counted)
    union all
    select 'trash of a file', f.id from file f join object_trash t on t.object_key = f.object_key
    union all
    select 'pinned file', p.file_id from task_input_pin p join file f on f.id = p.file_id where f.state <> 'ready'
    union all
    select 'active limit', user_id from task where finished_at is null group by user_id having count(*) > ${maxActive}
    union all
    select 'stray result', f.id from file f join task t on t.id = f.task_id where f.state = 'uploading' and t.status <> 'running'`
  return [...broken]
}

/**
 * What holds between database and bucket while nobody writes: every object under the site's prefix has its row, of a file or
 * in the trash, and every ready file has its object, of its size. Answers what is broken, with the object's key.
 */
export async function brokenStorage(ctx: AppContext): Promise<{ rule: string; id: string }[]> {
  const objects = new Map<string, number>()
  let after: string | undefined
  do {
    const listed = await ctx.storage?.list({ prefix: ctx.site.storagePrefix, startAfter: after })
    for (const { key, size } of listed?.objects ?? []) objects.set(key, size)
    after = listed?.truncated ? listed.objects.at(-1)?.key : undefined
  } while (after !== undefined)
  const rows = await ctx.db.$client<{ key: string; ready: boolean; size: string | null }[]>`
    select object_key as key, state = 'ready' as ready, byte_size as size from file
    union all select object_key, false, null from object_trash`
  const known = new Set(rows.map(({ key }) => key))
  return [
    ...[...objects.keys()]
      .filter((key) => !known.has(key))
      .map((id) => ({ rule: 'object without a row', id })),
    ...rows
      .filter(({ key, ready, size }) => ready && objects.get(key) !== Number(size))
      .map(({ key }) => ({ rule: 'ready file without its object', id: key })),
  ]
}
