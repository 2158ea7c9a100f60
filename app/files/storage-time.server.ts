import { STORAGE_STEP_MS } from '../config/limits'

/** Object storage gave no answer in time. What was asked of it may still happen. */
export class StorageTimeout extends Error {}

/** One step with object storage, which has 15 seconds: a store that hangs must not hold a request or a round for ever. */
export async function withinStorageTime<T>(step: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StorageTimeout('no answer in time')), STORAGE_STEP_MS)
  })
  try {
    return await Promise.race([step, timeout])
  } finally {
    clearTimeout(timer)
  }
}
