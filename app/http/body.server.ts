/**
 * A request's body in memory, of at most `maxBytes`: judged by `Content-Length` first and again while reading, because
 * what is announced may be a lie or missing. Null: too large; the rest is not read.
 */
export async function readBounded(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  const announced = Number(request.headers.get('Content-Length') ?? 0)
  if (announced > maxBytes) {
    await request.body?.cancel()
    return null
  }
  if (!request.body) return new Uint8Array()

  const chunks: Uint8Array[] = []
  let length = 0
  const reader = request.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    if (length > maxBytes) {
      await reader.cancel()
      return null
    }
    chunks.push(value)
  }
  const body = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    body.set(chunk, at)
    at += chunk.length
  }
  return body
}
