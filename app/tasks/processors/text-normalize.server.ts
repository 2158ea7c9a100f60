import * as z from 'zod'
import type { Processor } from './processor'

const paramsSchema = z.strictObject({ trimTrailing: z.boolean().default(false) })

const LF = 0x0a
const CR = 0x0d
const TAB = 0x09
const SPACE = 0x20

/** Decoded at a time: the whole text beside its bytes would take twice their room again. */
const SLICE = 256 * 1024

/**
 * Text with one kind of line end. Input must be valid UTF-8 (`INPUT_NOT_UTF8`); a byte-order mark is content and stays.
 * CRLF and lone CR become LF; with `trimTrailing`, spaces and tabs before a line's end (the last line's too) go. No
 * newline is added. Works on bytes: in UTF-8 none of these four ever is part of another character.
 */
export const textNormalize: Processor = {
  name: 'text-normalize',
  version: 1,
  title: 'Normalise text',
  description:
    'Gives every line the same ending (LF) and, if you like, removes spaces and tabs at line ends.',
  accepts: ['text/plain'],
  deterministic: true,
  heavy: false,
  fields: [
    {
      name: 'trimTrailing',
      label: 'Remove spaces and tabs at line ends',
      help: 'Other white space stays as it is.',
      kind: 'checkbox',
      defaultValue: false,
    },
  ],
  parse: (params) => paramsSchema.safeParse(params).data ?? null,
  run: ({ bytes, name, params }) => {
    if (!isUtf8(bytes)) return Promise.resolve({ ok: false, code: 'INPUT_NOT_UTF8' })
    const { trimTrailing } = paramsSchema.parse(params)
    return Promise.resolve({
      ok: true,
      bytes: normalizeLines(bytes, trimTrailing),
      type: 'text/plain',
      name: resultName(name),
    })
  },
}

function isUtf8(bytes: Uint8Array): boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    for (let start = 0; start < bytes.length; start += SLICE) {
      decoder.decode(bytes.subarray(start, start + SLICE), { stream: true })
    }
    decoder.decode()
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

function normalizeLines(input: Uint8Array, trimTrailing: boolean): Uint8Array {
  // The output is never longer than the input.
  const output = new Uint8Array(input.length)
  let length = 0
  // Where the line's last byte that stays ends: what lies beyond, if the line ends here, is spaces and tabs.
  let kept = 0
  for (let at = 0; at < input.length; at++) {
    const byte = input[at]!
    if (byte === CR || byte === LF) {
      if (byte === CR && input[at + 1] === LF) at++
      if (trimTrailing) length = kept
      output[length++] = LF
      kept = length
    } else {
      output[length++] = byte
      if (byte !== SPACE && byte !== TAB) kept = length
    }
  }
  return output.subarray(0, trimTrailing ? kept : length)
}

function resultName(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? `${name.slice(0, dot)}.normalized${name.slice(dot)}` : `${name}.normalized`
}
