/** Ctrl-C, SIGTERM and a closed terminal, for programs that have to stop what they started. */
import process from 'node:process'

/** Stopping takes well under a second; whatever hangs for longer than this is left to the next start. */
const STOP_MS = 8_000

/** How a shell reports a program that Ctrl-C has ended. */
const INTERRUPTED = 130

/**
 * Runs a program with a signal that aborts when somebody asks it to end, and ends the process with it: with 1 and the
 * error's message when it threw, with `interruptedCode` when it was asked to end, whatever it answered or threw after that.
 * A repeated Ctrl-C changes nothing: the first one is being carried out.
 *
 * @param {(signal: AbortSignal) => Promise<number | void>} program answers the exit code, 0 when it answers nothing
 * @param {{ interruptedCode?: number }} [options] 0 only for a program that has no other end than being asked to: half a
 *   test run or build must not pass for a whole one
 */
export async function runUntilInterrupted(program, { interruptedCode = INTERRUPTED } = {}) {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) return
    console.log('\nStopping …')
    controller.abort()
    setTimeout(() => process.exit(1), STOP_MS).unref()
  }
  // npm passes SIGTERM to its shell, and the shell to nobody. Then the shell's end is all there is to see.
  const parent = process.ppid
  if (process.env.npm_lifecycle_event) setInterval(() => process.ppid === parent || interrupt(), 250).unref()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, interrupt)
  try {
    const code = await program(controller.signal)
    process.exit(controller.signal.aborted ? interruptedCode : (code ?? 0))
  } catch (error) {
    if (controller.signal.aborted) process.exit(interruptedCode)
    console.error(`\n${error instanceof Error ? explain(error) : error}`)
    process.exit(1)
  }
}

/** The whole stack only on request: a taken port needs none. @param {Error} error */
const explain = (error) => (process.env.DEBUG ? error.stack : error.message)

/** Resolves when the signal aborts. @param {AbortSignal} signal @returns {Promise<void>} */
export function aborted(signal) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    // Listening alone keeps no process alive.
    const alive = setInterval(() => {}, 60_000)
    signal.addEventListener('abort', () => (clearInterval(alive), resolve()), { once: true })
  })
}
