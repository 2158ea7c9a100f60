/** Marks that change the direction of the text after them: `\u202e` makes `gpj.exe` look like `exe.jpg` in a file manager. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * `Content-Disposition` for saving a file under its name (RFC 6266): always as an attachment, with an ASCII name that any
 * client reads alike and the full name for those that know `filename*` (RFC 8187). Expects a cleaned name.
 */
export function attachmentAs(name: string): string {
  const safe = name.replace(DIRECTION, '') || 'file'
  // `%` too: some browsers decode what looks percent-encoded.
  const plain = safe.replace(/[^\x20-\x7e]+|["%\\]/g, '_')
  return `attachment; filename="${plain}"; filename*=UTF-8''${extended(safe)}`
}

function extended(value: string): string {
  return encodeURIComponent(value).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
