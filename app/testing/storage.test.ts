import { describe, expect, it } from 'vitest'
import { faultyStorage, testStorage } from './storage'

const text = async (bucket: R2Bucket, key: string) => (await bucket.get(key))?.text()

describe('storage for tests', () => {
  it('is a real bucket, the same for the whole test file', async () => {
    await (await testStorage()).put('a', 'one')
    expect(await text(await testStorage(), 'a')).toBe('one')
  })

  it('fails as often as it is told to, and then works', async () => {
    const { bucket, fail } = faultyStorage(await testStorage())
    fail('put', 2)
    await expect(bucket.put('b', '1')).rejects.toThrow('not reachable')
    await expect(bucket.put('b', '2')).rejects.toThrow('not reachable')
    expect(await bucket.head('b')).toBeNull()
    await bucket.put('b', '3')
    expect(await text(bucket, 'b')).toBe('3')
  })

  it('can do what it was asked and lose its answer', async () => {
    const { bucket, loseAnswer } = faultyStorage(await testStorage())
    loseAnswer('put')
    await expect(bucket.put('c', '1')).rejects.toThrow('not reachable')
    expect(await text(bucket, 'c')).toBe('1')
  })

  it('can keep a call waiting until the test lets it go on', async () => {
    const { bucket, hold } = faultyStorage(await testStorage())
    const held = hold('delete')
    await bucket.put('d', '1')
    const deletion = bucket.delete('d')
    await held.reached
    expect(await text(bucket, 'd')).toBe('1')
    held.release()
    await deletion
    expect(await bucket.head('d')).toBeNull()
  })
})
