import type { Sql } from '../../app/db/client.server'

/** Everything that is stored of a task, for comparing it with what it was. */
export async function wholeTask(sql: Sql, taskId: string): Promise<unknown> {
  const [row] = await sql`
    select to_jsonb(t) as task,
           (select jsonb_agg(a order by a.lease_version) from task_attempt a where a.task_id = t.id) as attempts,
           (select jsonb_agg(p) from task_input_pin p where p.task_id = t.id) as pins,
           (select jsonb_agg(f order by f.id) from file f where f.task_id = t.id) as results
      from task t where t.id = ${taskId}`
  return row
}

/** What deliveries have left of a task. */
export async function deliveriesOf(sql: Sql, taskId: string) {
  const [row] = await sql<
    {
      status: string
      version: number
      next: string | null
      attempts: number
      pinned: boolean
      receipts: string[] | null
    }[]
  >`
    select t.status, t.dispatch_version as version, t.next_delivery_at as next, t.attempt_count as attempts,
           exists (select from task_input_pin p where p.task_id = t.id) as pinned,
           (select jsonb_agg(d.class) from task_dead_letter d where d.task_id = t.id) as receipts
      from task t where t.id = ${taskId}`
  return row!
}
