import { sha256Hex } from '../files/digest.server'

/**
 * What makes two submissions the same request: a SHA-256 over processor, file and canonical parameters (keys in order at
 * every depth). No version, token or quote is in it, so that a deploy or a new price never makes a repeat look different.
 */
export async function fingerprintOf(request: {
  processor: string
  fileId: string
  params: Record<string, unknown>
}): Promise<string> {
  const canonical = JSON.stringify([request.processor, request.fileId.toLowerCase(), sorted(request.params)])
  return sha256Hex(new TextEncoder().encode(canonical))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}
