import { afterEach, expect, it, vi } from 'vitest'
import { StorageTimeout, withinStorageTime } from './storage-time.server'

afterEach(() => vi.useRealTimers())

it('storage that hangs is given up after fifteen seconds', async () => {
  vi.useFakeTimers()
  const hanging = withinStorageTime(new Promise(() => {}))
  const given = expect(hanging).rejects.toThrow(StorageTimeout)
  await vi.advanceTimersByTimeAsync(15_000)
  await given
})

it('storage that answers or fails in time is as if nobody had waited', async () => {
  vi.useFakeTimers()
  expect(await withinStorageTime(Promise.resolve('stored'))).toBe('stored')
  await expect(withinStorageTime(Promise.reject(new Error('down')))).rejects.toThrow('down')
  expect(vi.getTimerCount()).toBe(0)
})
