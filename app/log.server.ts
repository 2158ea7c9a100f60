/** What a log event may carry: ids, versions, counts, durations and codes. Never contents, names, tokens or secrets. */
export type LogFields = Record<string, string | number | boolean | null | undefined>

export type Log = (event: string, fields?: LogFields) => void

/** One JSON line for each event, which is what Workers Logs and `wrangler tail` index. */
export const logToConsole: Log = (event, fields = {}) => {
  console.log(JSON.stringify({ event, at: new Date().toISOString(), ...fields }))
}

/** Plain lines for whoever sits at this machine's terminal. Only for what no log may keep. */
export function printToTerminal(text: string): void {
  console.log(text)
}

/**
 * What may be written down of an error: its class, an SQLSTATE or code, and our own stack frames. Never the message,
 * which can quote a provider, a parameter or a file.
 */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const frames = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && !line.includes('node_modules'))
    .slice(0, 6)
    .map((line) => line.trim())
    .join(' | ')
  return { error: error.name, code, frames }
}
