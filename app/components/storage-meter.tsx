import { counted, formatBytes, formatNumber } from './format'
import type { StorageUse } from './types'

/** How much of the account's storage is used, in words first; the bar repeats it. */
export function StorageMeter({ use }: { use: StorageUse }) {
  return (
    <section aria-labelledby="storage-title">
      <h2 id="storage-title" className="font-strong">
        Storage
      </h2>
      <progress
        className="gauge my-2"
        value={Math.min(use.bytes, use.maxBytes)}
        max={use.maxBytes}
        aria-labelledby="storage-title"
      />
      <p className="text-small text-soft">
        {formatBytes(use.bytes)} of {formatBytes(use.maxBytes)} in {counted(use.files, 'file', 'files')} (at
        most {formatNumber(use.maxFiles)})
      </p>
    </section>
  )
}
