import { makeZip, predictLength } from 'client-zip'
import type { AppContext } from '../context.server'
import { cleanName } from './names'
import type { ReadableFile } from './queries.server'
import { withinStorageTime } from './storage-time.server'

export interface Archive {
  /** Exactly how many bytes the stream has when nothing goes wrong. */
  length: number
  stream: ReadableStream<Uint8Array>
}

/**
 * Files as one ZIP, stored and not compressed, which is the same at every download: it has the files' own times. They are
 * read one after the other as the stream is, and none is held whole. When one can't be read the stream fails: it never
 * ends as a shorter archive. `missing`: the files whose objects aren't there, when there are any; nothing was read.
 */
export async function openArchive(
  ctx: AppContext,
  files: readonly ReadableFile[],
): Promise<Archive | { missing: ReadableFile[] }> {
  const objects = await Promise.all(files.map(({ objectKey }) => storedSize(ctx, objectKey)))
  const missing = files.filter(({ size }, index) => objects[index] !== size)
  if (missing.length > 0) {
    for (const { id } of missing) ctx.log('download.object_missing', { fileId: id })
    return { missing }
  }
  const names = archiveNames(files.map(({ name }) => name))
  const entries = files.map((file, index) => ({
    file,
    name: names[index] ?? file.name,
    size: file.size,
    lastModified: file.createdAt,
  }))
  const opened = contents(ctx, entries)
  // Without its `throw`, which client-zip calls when the receiver goes away: nobody would take the rejection.
  const inputs = { [Symbol.asyncIterator]: () => ({ next: () => opened.next() }) }
  return { length: Number(predictLength(entries)), stream: makeZip(inputs) }
}

interface Entry {
  file: ReadableFile
  name: string
  size: number
  lastModified: Date
}

async function* contents(ctx: AppContext, entries: readonly Entry[]) {
  for (const { file, ...entry } of entries) {
    const object = ctx.storage && (await withinStorageTime(ctx.storage.get(file.objectKey)))
    if (object?.size !== file.size) {
      await object?.body.cancel()
      ctx.log('download.object_missing', { fileId: file.id, size: object?.size })
      throw new Error('an object went away while its archive was being sent')
    }
    yield { ...entry, input: object.body }
  }
}

async function storedSize(ctx: AppContext, objectKey: string): Promise<number | undefined> {
  const object = ctx.storage && (await withinStorageTime(ctx.storage.head(objectKey)))
  return object?.size
}

/**
 * The names that files have in an archive: no paths, nothing that changes how the name reads, and no two alike to a file
 * system that ignores case. The second `notes.txt` is `notes (2).txt`.
 */
export function archiveNames(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map((raw) => {
    // Cleaned again: without its invisible characters a name may be one that isn't allowed.
    const name = cleanName(raw.replace(/(?![\u200c\u200d])\p{Cf}/gu, ''))
    const dot = name.lastIndexOf('.')
    const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
    let distinct = name
    for (let number = 2; taken.has(distinct.toLowerCase()); number++)
      distinct = `${stem} (${number})${ending}`
    taken.add(distinct.toLowerCase())
    return distinct
  })
}
