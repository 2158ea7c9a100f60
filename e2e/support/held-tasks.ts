import postgres from 'postgres'
import type { Account } from './account'

const INSTALLING = 4_712

async function withDatabase<T>(use: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(process.env.E2E_DATABASE_URL ?? '', { max: 1, onnotice: () => {} })
  try {
    return await use(sql)
  } finally {
    await sql.end()
  }
}

/**
 * From now on the account's tasks stay in line, however long a test takes: the database refuses every claim of them, and
 * their messages are old ones at once, so that the queue doesn't give the tasks up after its four deliveries.
 */
export async function holdTasksOf({ email }: Account): Promise<void> {
  await withDatabase(async (sql) => {
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${INSTALLING})`
      const [installed] = await tx`select from pg_trigger where tgname = 'hold_tasks'`
      if (!installed) await tx.unsafe(HOLDING)
    })
    await sql`insert into held_account (user_id) select id from "user" where email = ${email}`
  })
}

const HOLDING = `
  create table held_account (user_id uuid primary key);
  create function hold_tasks() returns trigger language plpgsql as $$
  begin
    if exists (select from task t join held_account h on h.user_id = t.user_id where t.id = new.task_id) then
      raise exception 'the tasks of this account are held by a test';
    end if;
    return new;
  end $$;
  create trigger hold_tasks before insert on task_attempt for each row execute function hold_tasks();
  create function leave_in_line() returns trigger language plpgsql as $$
  begin
    if exists (select from held_account where user_id = new.user_id) then
      new.dispatch_version := new.dispatch_version + 1;
      new.dispatch_floor := new.dispatch_version;
      new.next_delivery_at := clock_timestamp() + interval '1 hour';
    end if;
    return new;
  end $$;
  create trigger leave_in_line before update on task
    for each row when (old.status = 'pending' and new.status = 'queued') execute function leave_in_line();`

/** Makes a held task look as if a worker had claimed it just now. */
export async function pretendRunning(taskId: string): Promise<void> {
  await withDatabase((sql) =>
    sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`
      await tx`
        update task
           set status = 'running', attempt_count = 1, lease_version = 1, started_at = clock_timestamp(),
               lease_expires_at = clock_timestamp() + interval '2 minutes', delivery_token = null,
               next_delivery_at = null, waiting_since = null, updated_at = clock_timestamp()
         where id = ${taskId}`
      await tx`insert into task_attempt (task_id, lease_version, started_at) values (${taskId}, 1, clock_timestamp())`
    }),
  )
}

/** Makes a held task look as if its delivery had failed for good: it can be retried. */
export async function pretendUndeliverable(taskId: string): Promise<void> {
  await withDatabase(async (sql) => {
    await sql`
      update task set waiting_since = clock_timestamp() - interval '25 hours' where id = ${taskId}`
    await sql`select engine.exhaust_delivery(null, ${taskId}, interval '24 hours')`
  })
}
