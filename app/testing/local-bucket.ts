import { startMiniflare } from '../../scripts/site/miniflare.mjs'

export interface LocalBucket {
  bucket: R2Bucket
  stop: () => Promise<void>
}

/** The real local R2 of workerd, with nothing in it. Its objects are gone when it stops. */
export async function startBucket(): Promise<LocalBucket> {
  const miniflare = await startMiniflare(() =>
    Promise.resolve({
      modules: true,
      script: 'export default { fetch: () => new Response(null) }',
      r2Buckets: ['STORAGE'],
    }),
  )
  // Two copies of the same types: miniflare's and ours.
  const bucket = (await miniflare.getR2Bucket('STORAGE')) as unknown as R2Bucket
  return { bucket, stop: () => miniflare.dispose() }
}
