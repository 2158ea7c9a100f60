/** What a statement's failure says, by the code that PostgreSQL (SQLSTATE) or the driver gave it. */

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** A row or a trigger refused it: data, integrity, raised exceptions. The same statement for other rows may do. */
export function isAboutOneRow(error: unknown): boolean {
  return /^(22|23|P0)...$/.test(codeOf(error))
}

/** The connection was cut (SQLSTATE class 08, a server that shuts down, or the driver's own codes): the next statement gets a new one. */
export function isConnectionLost(error: unknown): boolean {
  return /^(08...|57P0[123]|CONNECTION_(CLOSED|DESTROYED)|ECONNRESET|EPIPE)$/.test(codeOf(error))
}
