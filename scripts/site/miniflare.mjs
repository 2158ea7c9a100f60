/** Miniflare without its own ideas about signals. */
import process from 'node:process'
import { Log, LogLevel, Miniflare } from 'miniflare'

/**
 * Starts workerd and waits until it is ready. Miniflare ends the process at once on a signal, before a database or anything
 * else could be stopped, so its handlers are taken away: who starts it disposes of it.
 *
 * @param {import('miniflare').MiniflareOptions} options @returns {Promise<Miniflare>}
 */
export async function startMiniflare(options) {
  const before = { SIGINT: process.listeners('SIGINT'), SIGTERM: process.listeners('SIGTERM') }
  const miniflare = new Miniflare({ cf: false, log: new Log(LogLevel.NONE), ...options })
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
