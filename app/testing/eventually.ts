/**
 * Asks again and again until the answer is accepted, and returns it. An error counts as an answer that isn't. Throws an
 * error that says what was waited for and what the last answer was.
 */
export async function eventually<T>(
  what: string,
  read: () => Promise<T>,
  accept: (answer: T) => boolean,
  options: { timeoutMs?: number; everyMs?: number; signal?: AbortSignal } = {},
): Promise<T> {
  const { timeoutMs = 30_000, everyMs = 50, signal } = options
  const deadline = performance.now() + timeoutMs
  for (;;) {
    signal?.throwIfAborted()
    let last: string
    try {
      const answer = await read()
      if (accept(answer)) return answer
      last = JSON.stringify(answer)
    } catch (error) {
      last = String(error)
    }
    if (performance.now() > deadline) {
      throw new Error(`Waited ${timeoutMs / 1000} s for ${what}. The last answer was: ${last}`)
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
