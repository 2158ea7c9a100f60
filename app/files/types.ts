/** A type of file that can be kept here: what it is called, and how its names end. */
export interface FileType {
  type: string
  title: string
  extensions: readonly string[]
}

/** Ours to say, never the browser's: a file gets one of these from its name and bytes, and is served as it. */
export const FILE_TYPES: readonly FileType[] = [
  {
    type: 'text/plain',
    title: 'Text',
    extensions: ['.txt', '.text', '.log', '.md', '.csv', '.json', '.xml'],
  },
]

/** What bytes begin with that are certainly not text. */
const BINARY_SIGNATURES: readonly (readonly number[])[] = [
  [0x25, 0x50, 0x44, 0x46, 0x2d], // %PDF-
  [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], // PNG
  [0xff, 0xd8, 0xff], // JPEG
  [0x47, 0x49, 0x46, 0x38], // GIF8
  [0x50, 0x4b, 0x03, 0x04], // ZIP, and so DOCX, XLSX, JAR
  [0x50, 0x4b, 0x05, 0x06], // empty ZIP
  [0x1f, 0x8b], // gzip
  [0x42, 0x5a, 0x68], // bzip2
  [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], // xz
  [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], // 7z
  [0x28, 0xb5, 0x2f, 0xfd], // zstd
  [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07], // RAR
  [0x7f, 0x45, 0x4c, 0x46], // ELF
  [0x4d, 0x5a, 0x90, 0x00], // Windows program
  [0xca, 0xfe, 0xba, 0xbe], // Java class, Mach-O
  [0x00, 0x61, 0x73, 0x6d], // WebAssembly
  [0x4f, 0x67, 0x67, 0x53], // Ogg
  [0x49, 0x44, 0x33], // MP3 with tags
  [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], // old Office
]

/**
 * The type of a file by its name and its first bytes; null when it is none that we keep. Text in another encoding is text
 * (a processor may refuse it later); a known binary signature is not, whatever the name says.
 */
export function fileTypeOf(name: string, bytes: Uint8Array): string | null {
  if (BINARY_SIGNATURES.some((signature) => signature.every((byte, at) => bytes[at] === byte))) return null
  const lower = name.toLowerCase()
  const named = FILE_TYPES.find(({ extensions }) => extensions.some((extension) => lower.endsWith(extension)))
  if (named) return named.type
  // Without an ending that says otherwise it is text when nothing in it is binary.
  return /\.[a-z0-9]{1,5}$/.test(lower) || bytes.subarray(0, 4096).includes(0) ? null : 'text/plain'
}

/** As a file input's `accept` takes it: the types and their endings. */
export function acceptOf(types: readonly string[]): string[] {
  return FILE_TYPES.filter(({ type }) => types.includes(type)).flatMap(({ type, extensions }) => [
    type,
    ...extensions,
  ])
}
