/**
 * Calls at the start of every minute, as the platform's cron does; never twice at once.
 * @param {() => Promise<void>} call @returns {() => void} stops it
 */
export function everyMinute(call) {
  let busy = false
  /** @type {NodeJS.Timeout} */
  let timer
  const wait = () => (timer = setTimeout(tick, 60_000 - (Date.now() % 60_000)))
  function tick() {
    wait()
    if (busy) return
    busy = true
    void call().finally(() => (busy = false))
  }
  wait()
  return () => clearTimeout(timer)
}
