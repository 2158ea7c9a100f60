import { Miniflare } from 'miniflare'
import { afterAll } from 'vitest'

let running: Miniflare | null = null

/** The real local R2 of workerd, one for each test file. */
export async function testStorage(): Promise<R2Bucket> {
  if (!running) {
    const miniflare = new Miniflare({
      modules: true,
      script: 'export default { fetch: () => new Response(null) }',
      r2Buckets: ['STORAGE'],
    })
    running = miniflare
    afterAll(async () => {
      running = null
      await miniflare.dispose()
    })
  }
  // Two copies of the same types: miniflare's and ours.
  return (await running.getR2Bucket('STORAGE')) as unknown as R2Bucket
}

type Method = 'get' | 'put' | 'delete' | 'head' | 'list'

/** The same bucket, of which some methods do something else: where a failure must be injected. */
export function faultyStorage(
  bucket: R2Bucket,
  faults: Partial<Record<Method, (...args: never[]) => Promise<unknown>>>,
): R2Bucket {
  return new Proxy(bucket, {
    get(target, name) {
      const fault = faults[name as Method]
      if (fault) return fault
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
