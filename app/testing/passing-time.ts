import type { Sql } from '../db/client.server'

/** Moves a running task's stored times, as if its lease had just run out. Answers whether it was running. */
export async function passLease(sql: Sql, taskId: string): Promise<boolean> {
  const moved = await sql`
    update task set lease_expires_at = clock_timestamp() - interval '1 second'
     where id = ${taskId} and status = 'running' returning id`
  return moved.length === 1
}

/** Moves a queued task's stored times, as if its next delivery were due. Answers whether it stood in line. */
export async function passRedelivery(sql: Sql, taskId: string): Promise<boolean> {
  const moved = await sql`
    update task set next_delivery_at = clock_timestamp() - interval '1 second'
     where id = ${taskId} and status = 'queued' returning id`
  return moved.length === 1
}
