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

/** Names that end like this say that the file is something else, which we don't keep. Any other ending may be text. */
const OTHER_ENDINGS = new Set(
  [
    'png jpg jpeg gif webp avif heic bmp ico tif tiff psd',
    'mp3 m4a aac ogg opus flac wav mp4 m4v mov avi mkv webm',
    'zip gz tgz bz2 xz 7z zst rar tar jar iso dmg',
    'pdf doc docx xls xlsx ppt pptx odt ods odp epub',
    'exe dll msi so dylib bin class wasm pyc o a deb rpm apk',
    'woff woff2 ttf otf db sqlite parquet',
  ].flatMap((line) => line.split(' ')),
)

/** Any byte. */
const ANY = null

/** What bytes begin with that are certainly not text. Where letters alone could begin a text, more than them is asked for. */
const BINARY_SIGNATURES: readonly (readonly (number | typeof ANY)[])[] = [
  [0x25, 0x50, 0x44, 0x46, 0x2d], // %PDF-
  [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], // PNG
  [0xff, 0xd8, 0xff], // JPEG
  [0x47, 0x49, 0x46, 0x38, 0x37, 0x61], // GIF87a
  [0x47, 0x49, 0x46, 0x38, 0x39, 0x61], // GIF89a
  [0x52, 0x49, 0x46, 0x46, ANY, ANY, ANY, ANY, 0x57, 0x45, 0x42, 0x50], // WebP
  [0x52, 0x49, 0x46, 0x46, ANY, ANY, ANY, ANY, 0x57, 0x41, 0x56, 0x45], // WAV
  [0x52, 0x49, 0x46, 0x46, ANY, ANY, ANY, ANY, 0x41, 0x56, 0x49, 0x20], // AVI
  [0x00, 0x00, 0x00, ANY, 0x66, 0x74, 0x79, 0x70], // MP4, MOV, HEIC, AVIF
  [0x1a, 0x45, 0xdf, 0xa3], // Matroska, WebM
  [0x4f, 0x67, 0x67, 0x53, 0x00], // Ogg
  [0x66, 0x4c, 0x61, 0x43, 0x00], // FLAC
  [0x49, 0x44, 0x33, 0x02, 0x00], // MP3 with tags of version 2, 3 or 4
  [0x49, 0x44, 0x33, 0x03, 0x00],
  [0x49, 0x44, 0x33, 0x04, 0x00],
  [0x50, 0x4b, 0x03, 0x04], // ZIP, and so DOCX, XLSX, JAR
  [0x50, 0x4b, 0x05, 0x06], // empty ZIP
  [0x1f, 0x8b, 0x08], // gzip
  [0x42, 0x5a, 0x68, ANY, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59], // bzip2
  [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], // xz
  [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], // 7z
  [0x28, 0xb5, 0x2f, 0xfd], // zstd
  [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07], // RAR
  [0x7f, 0x45, 0x4c, 0x46], // ELF
  [0x4d, 0x5a, ANY, 0x00], // Windows program
  [0xca, 0xfe, 0xba, 0xbe], // Java class, Mach-O
  [0xcf, 0xfa, 0xed, 0xfe], // Mach-O
  [0x00, 0x61, 0x73, 0x6d], // WebAssembly
  [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20, 0x66, 0x6f, 0x72, 0x6d, 0x61, 0x74, 0x20, 0x33, 0x00], // SQLite
  [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], // old Office
]

/**
 * The type of a file by its name and its first bytes; null when it is none that we keep. Text in another encoding is text
 * (a processor may refuse it later); a known binary signature is not, whatever the name says.
 */
export function fileTypeOf(name: string, bytes: Uint8Array): string | null {
  if (hasBinarySignature(bytes)) return null
  const lower = name.toLowerCase()
  const named = FILE_TYPES.find(({ extensions }) => extensions.some((extension) => lower.endsWith(extension)))
  if (named) return named.type
  return OTHER_ENDINGS.has(/\.([^.]*)$/.exec(lower)?.[1] ?? '') ? null : 'text/plain'
}

function hasBinarySignature(bytes: Uint8Array): boolean {
  return BINARY_SIGNATURES.some((signature) =>
    signature.every((byte, at) => at < bytes.length && (byte === ANY || bytes[at] === byte)),
  )
}

/** As a file input's `accept` takes it: the types and their endings. */
export function acceptOf(types: readonly string[]): string[] {
  return FILE_TYPES.filter(({ type }) => types.includes(type)).flatMap(({ type, extensions }) => [
    type,
    ...extensions,
  ])
}
