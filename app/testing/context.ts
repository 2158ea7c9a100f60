import type { AppContext } from '../context.server'
import type { TestDatabase } from './database'
import { recordingContext, type TestContext } from './recording-context'
import { testStorage } from './storage'

export type { TestContext }

/**
 * A `recordingContext` on the test file's PostgreSQL, with one connection of its own, and on workerd's R2.
 * `storage: null` and `queue: null` stand for a missing binding.
 */
export async function testContext(
  database: TestDatabase,
  overrides: Partial<Pick<AppContext, 'site' | 'storage' | 'queue' | 'clock' | 'mailer'>> = {},
): Promise<TestContext> {
  const storage = overrides.storage === undefined ? await testStorage() : overrides.storage
  return recordingContext({ ...overrides, storage, db: database.connect() })
}
