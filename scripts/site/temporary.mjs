/** A site whose data are gone when it stops. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSite } from './site.mjs'

/** Lines of the Worker that are worth showing when something went wrong. */
const KEPT_LINES = 40

/**
 * @param {Omit<import('./site.mjs').SiteOptions, 'dataDir'>} options
 * @returns {Promise<import('./site.mjs').Site & { dataDir: string, workerLines: string[] }>} `workerLines` are the latest that the Worker printed
 */
export async function startTemporarySite(options) {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-'))
  chmodSync(dataDir, 0o711) // the database's user has to pass through
  const remove = () => rmSync(dataDir, { recursive: true, force: true })
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
