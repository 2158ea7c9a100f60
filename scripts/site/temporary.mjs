/** A site whose data are gone when it stops. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSite } from './site.mjs'

/** Lines of the Worker that are worth showing when something went wrong. */
const KEPT_LINES = 40

/** A new folder for one run, which the database's user may pass through. @returns {{ path: string, remove: () => void }} */
export function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), 'millrace-'))
  chmodSync(path, 0o711)
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/**
 * @param {Omit<import('./site.mjs').SiteOptions, 'dataDir'>} options
 * @returns {Promise<import('./site.mjs').Site & { dataDir: string, workerLines: string[] }>} `workerLines` are the latest that the Worker printed
 */
export async function startTemporarySite(options) {
  const { path: dataDir, remove } = temporaryFolder()
  /** @type {string[]} */
  const workerLines = []
  const workerLog = (/** @type {string} */ line) => {
    workerLines.push(line)
    if (workerLines.length > KEPT_LINES) workerLines.shift()
    options.workerLog?.(line)
  }
  try {
    const site = await startSite({ durable: false, ...options, workerLog, dataDir })
    return { ...site, dataDir, workerLines, stop: () => site.stop().finally(remove) }
  } catch (error) {
    remove()
    throw error
  }
}

/**
 * Does something with a temporary site and stops it, whatever happens. When it fails, what the Worker printed last is shown.
 * @template T
 * @param {Omit<import('./site.mjs').SiteOptions, 'dataDir'>} options
 * @param {(site: import('./site.mjs').Site) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withTemporarySite(options, use) {
  const site = await startTemporarySite(options)
  try {
    return await use(site)
  } catch (error) {
    if (!options.signal?.aborted) console.error(['The Worker printed:', ...site.workerLines].join('\n  '))
    throw error
  } finally {
    await site.stop()
  }
}
