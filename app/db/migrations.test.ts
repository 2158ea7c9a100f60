import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '../../scripts/database/migrate.mjs'
import { testDatabase } from '../testing/database'
import { fileRow, insertRow, type Row } from '../testing/rows'
import type { Database } from './client.server'

interface Journal {
  entries: { tag: string }[]
}

const MIGRATIONS = new URL('../../migrations/', import.meta.url).pathname
const folders = mkdtempSync(join(tmpdir(), 'millrace-migrations-'))
afterAll(() => rmSync(folders, { recursive: true }))

/** The migrations as they were when this one was the newest. */
function migrationsUpTo(newest: string): string {
  const folder = join(folders, newest)
  const journal = JSON.parse(readFileSync(join(MIGRATIONS, 'meta/_journal.json'), 'utf8')) as Journal
  const entries = journal.entries.filter(({ tag }) => tag <= newest)
  mkdirSync(join(folder, 'meta'), { recursive: true })
  writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify({ ...journal, entries }))
  for (const { tag } of entries) cpSync(join(MIGRATIONS, `${tag}.sql`), join(folder, `${tag}.sql`))
  return folder
}

type Columns = Map<string, string[]>

async function columnsOf(db: Database): Promise<Columns> {
  const rows = await db.$client<{ table: string; columns: string }[]>`
    select table_name as table, string_agg(quote_ident(column_name), ', ' order by column_name) as columns
      from information_schema.columns where table_schema = 'public' group by table_name order by table_name`
  return new Map(rows.map(({ table, columns }) => [table, columns.split(', ')]))
}

/** Every row of every table, as far as it has these columns, as the database itself writes it. */
async function rowsOf(db: Database, columns: Columns): Promise<Record<string, string[]>> {
  const tables: [string, string[]][] = []
  for (const [table, names] of columns) {
    const rows = await db.$client.unsafe<{ row: string }[]>(
      `select to_jsonb(r)::text as row from (select ${names.join(', ')} from "${table}") r order by 1`,
    )
    tables.push([table, rows.map(({ row }) => row)])
  }
  return Object.fromEntries(tables)
}

const ODD_TEXT = `Zoë "O'Neill" \\ 100% \u{1F9EA} \u202Etxt.exe\n\ttab`
const LARGEST = '9223372036854775807'

/** What an account may have stored when there were only accounts, files and counters. */
function storedRows(user: Row): [table: string, row: Row][] {
  const userId = String(user.id)
  const key = uuidv7()
  return [
    ['user', user],
    ['session', { id: uuidv7(), user_id: userId, token: uuidv7(), expires_at: '2026-03-08T12:00:00.123Z' }],
    [
      'session',
      {
        id: uuidv7(),
        user_id: userId,
        token: uuidv7(),
        expires_at: '1970-01-01T00:00:00Z',
        ip_address: '::1',
        user_agent: ODD_TEXT,
      },
    ],
    [
      'account',
      { id: uuidv7(), user_id: userId, account_id: userId, provider_id: 'credential', password: 'salt:hash' },
    ],
    [
      'account',
      {
        id: uuidv7(),
        user_id: userId,
        account_id: '',
        provider_id: ODD_TEXT,
        scope: 'a,b',
        access_token_expires_at: 'infinity',
      },
    ],
    [
      'verification',
      { id: uuidv7(), identifier: ODD_TEXT, value: '{"a":[1,"}"]}', expires_at: '2026-02-28T23:59:59.999Z' },
    ],
    ['file', fileRow(userId, { byte_size: LARGEST, name: ODD_TEXT })],
    ['file', fileRow(userId, { state: 'uploading', expires_at: null, request_key: key, request_index: 0 })],
    [
      'file',
      fileRow(userId, {
        state: 'deleting',
        counted: false,
        try_count: 7,
        request_key: key,
        request_index: 32767,
      }),
    ],
    [
      'file',
      fileRow(userId, { expires_at: '2000-02-29T00:00:00Z', content_type: '', next_try_at: 'infinity' }),
    ],
    ['storage_usage', { user_id: userId, file_count: 3, byte_count: LARGEST }],
    ['object_trash', { object_key: `${ODD_TEXT}/${uuidv7()}`, try_count: 2_147_483_647 }],
    ['orphan_scan', { prefix: `${userId}/`, cursor: ODD_TEXT }],
    [
      'rate_limit',
      { scope: 'sign-in', subject: userId, window_start: '2026-03-01T12:00:00Z', count: 2_147_483_647 },
    ],
  ]
}

async function populate(db: Database) {
  const people: Row[] = [
    { id: uuidv7(), name: 'Ada', email: 'ada@example.test' },
    {
      id: uuidv7(),
      name: ODD_TEXT,
      email: 'ODD+tag@EXAMPLE.test',
      email_verified: true,
      image: '',
      is_operator: true,
    },
    {
      id: uuidv7(),
      name: '',
      email: 'bc@example.test',
      created_at: '0044-03-15T12:00:00Z',
      updated_at: 'infinity',
    },
  ]
  for (const [table, row] of people.flatMap(storedRows)) await insertRow(db, table, row)
  await insertRow(db, 'user', { id: uuidv7(), name: 'Without anything', email: 'none@example.test' })
  await insertRow(db, 'orphan_scan', { prefix: '', cursor: null })
}

describe('a database populated at 0003', () => {
  const database = testDatabase({ empty: true })
  let db: Database
  let columns: Columns
  let before: Record<string, string[]>

  beforeAll(async () => {
    await migrate(database.url, { migrationsFolder: migrationsUpTo('0003_rate_limits'), functions: false })
    db = database.connect()
    columns = await columnsOf(db)
    await populate(db)
    before = await rowsOf(db, columns)
  })

  it('has rows in every table that there was', () => {
    expect([...columns.keys()]).not.toContain('task')
    for (const [table, rows] of Object.entries(before)) {
      expect(rows.length, table).toBeGreaterThanOrEqual(3)
    }
  })

  it('migrates to the newest with every row unchanged', async () => {
    await migrate(database.url)
    const newest = await columnsOf(db)
    expect([...newest.keys()]).toEqual(expect.arrayContaining(['task', 'task_dead_letter', 'credit_ledger']))
    expect(await rowsOf(db, columns)).toEqual(before)
  })

  it('has only uploads afterwards, which is what its files were', async () => {
    const origins = await db.$client`select distinct origin, task_id, lease_version from file`
    expect([...origins]).toEqual([{ origin: 'upload', task_id: null, lease_version: null }])
  })
})

describe('files stored before there was a quota', () => {
  const database = testDatabase({ empty: true })

  it('are counted for their accounts', async () => {
    await migrate(database.url, { migrationsFolder: migrationsUpTo('0001_files'), functions: false })
    const db = database.connect()
    const [one, other] = [uuidv7(), uuidv7()]
    for (const id of [one, other]) await insertRow(db, 'user', { id, name: 'Ada', email: id })
    await insertRow(db, 'file', fileRow(one, { byte_size: 5 }))
    await insertRow(db, 'file', fileRow(one, { byte_size: 7 }))
    await migrate(database.url)
    const usage = await db.$client`select user_id, file_count, byte_count::int from storage_usage`
    expect([...usage]).toEqual([{ user_id: one, file_count: 2, byte_count: 12 }])
  })
})

describe('migrating', () => {
  const database = testDatabase({ empty: true })

  /** What a migration could change, down to the identity of what it would make anew. */
  async function stateOf(db: Database) {
    return {
      columns: await columnsOf(db),
      applied: [...(await db.$client`select * from drizzle.__drizzle_migrations order by id`)],
      made: [
        ...(await db.$client`
          select oid::text, proname as name from pg_proc where pronamespace = 'engine'::regnamespace
          union all select oid::text, conname from pg_constraint where connamespace = 'public'::regnamespace
          union all select oid::text, relname from pg_class where relnamespace = 'public'::regnamespace order by 1`),
      ],
    }
  }

  it('works for several at once', async () => {
    await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)])
    const journal = JSON.parse(readFileSync(join(MIGRATIONS, 'meta/_journal.json'), 'utf8')) as Journal
    const { applied } = await stateOf(database.connect())
    expect(applied).toHaveLength(journal.entries.length)
  })

  it('changes nothing when it is repeated', async () => {
    const db = database.connect()
    const before = await stateOf(db)
    expect(before.made.length).toBeGreaterThan(20)
    await migrate(database.url)
    expect(await stateOf(db)).toEqual(before)
  })
})
