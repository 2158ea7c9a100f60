/** Miniflare without its own ideas about signals. */
import process from 'node:process'
import { Log, LogLevel, Miniflare } from 'miniflare'

/**
 * Starts workerd and waits until it is ready. Miniflare and wrangler end the process at once on a signal, before a database
 * or anything else could be stopped, so their handlers are taken away: who starts it disposes of it.
 *
 * @param {() => Promise<import('miniflare').MiniflareOptions>} getOptions is where wrangler is imported, if it is
 * @returns {Promise<Miniflare>}
 */
export async function startMiniflare(getOptions) {
  const before = { SIGINT: process.listeners('SIGINT'), SIGTERM: process.listeners('SIGTERM') }
  const miniflare = new Miniflare({ cf: false, log: new Log(LogLevel.NONE), ...(await getOptions()) })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
    for (const listener of process.listeners(signal)) {
      if (!before[signal].includes(listener)) process.removeListener(signal, listener)
    }
  }
  try {
    await miniflare.ready
    return miniflare
  } catch (error) {
    await miniflare.dispose().catch(() => {})
    throw error
  }
}
