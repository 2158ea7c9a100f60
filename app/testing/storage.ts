import { afterAll } from 'vitest'
import { startBucket, type LocalBucket } from './local-bucket'

let running: Promise<LocalBucket> | null = null

// Registered while the test file is collected: from within a running hook it would be too late, and workerd would stay.
afterAll(async () => {
  await (await running)?.stop()
  running = null
})

/** The real local R2 of workerd: one bucket for each test file, started when the first test asks for it. */
export async function testStorage(): Promise<R2Bucket> {
  running ??= startBucket()
  return (await running).bucket
}

type Method = 'get' | 'head' | 'put' | 'delete' | 'list'

export interface Hold {
  /** Resolves when a call has arrived and waits. */
  reached: Promise<void>
  /** Lets it go on to the bucket. Never called: storage that hangs. */
  release: () => void
}

export interface FaultyStorage {
  bucket: R2Bucket
  /** The next calls of this method reach nothing and throw. */
  fail: (method: Method, times?: number) => void
  /** The next calls of this method happen, but their answer is lost: they throw all the same. */
  loseAnswer: (method: Method, times?: number) => void
  /** The next call of this method waits until it is released, so that a test can let something else happen first. */
  hold: (method: Method) => Hold
}

/**
 * The same bucket, in which chosen calls go wrong. Faults of a method are used up in the order they were asked for;
 * after them it works again.
 */
export function faultyStorage(real: R2Bucket): FaultyStorage {
  type Call = () => Promise<unknown>
  const faults = new Map<Method, ((call: Call) => Promise<unknown>)[]>()
  const add = (method: Method, times: number, fault: (call: Call) => Promise<unknown>) =>
    faults.set(method, [...(faults.get(method) ?? []), ...Array.from({ length: times }, () => fault)])
  const unreachable = () => new Error('the storage is not reachable')

  const bucket = new Proxy(real, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]): unknown => {
        const call = () => Reflect.apply(value, target, args) as Promise<unknown>
        const fault = faults.get(name as Method)?.shift()
        return fault ? fault(call) : call()
      }
    },
  })
  return {
    bucket,
    fail: (method, times = 1) => void add(method, times, () => Promise.reject(unreachable())),
    loseAnswer: (method, times = 1) =>
      void add(method, times, async (call) => {
        await call()
        throw unreachable()
      }),
    hold: (method) => {
      const arrival = signal()
      const departure = signal()
      add(method, 1, async (call) => {
        arrival.give()
        await departure.given
        return call()
      })
      return { reached: arrival.given, release: departure.give }
    },
  }
}

/** A promise, and what resolves it. */
function signal() {
  let give = () => {}
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { given, give: () => give() }
}
