import * as z from 'zod'
import type { AppLoadContext } from '@remix-run/cloudflare'
import type { UploadOutcome } from '../components/types'
import type { FailureCode } from '../config/failures'
import { cleanName } from '../files/names'
import { storeUpload, type StoredUpload, type UploadRefusal } from '../files/upload.server'
import { countFileWrites } from '../rate-limits/count.server'
import { processorInputTypes } from '../tasks/processors/registry.server'
import { DISCARD_OF_UPLOADS, openBody } from './body.server'
import { readIncomingFiles, type IncomingFile } from './incoming-files.server'
import { uploadFailureText } from './file-view.server'

export interface ReceivedUpload {
  /** What became of each file, in the form's order. */
  outcomes: UploadOutcome[]
  /** What is wrong with the form as a whole, else the first file's failure: the answer's status. */
  failure: FailureCode | null
}

type Stored = StoredUpload | { refused: UploadRefusal | 'RATE_LIMITED' | 'INVALID_INPUT' }

/**
 * Keeps each file of a form. One that is refused keeps no other from being kept. Each file counts as a write, and so does
 * a form that comes with none: when not one more is allowed, nothing of it is read.
 */
export async function receiveUpload(
  request: Request,
  context: AppLoadContext,
  userId: string,
): Promise<ReceivedUpload> {
  const receiving = receive(request, context, userId)
  // Bytes that have arrived are kept even if the person is gone by now, and so is the room that they took in memory.
  context.waitUntil(receiving.catch(() => {}))
  return receiving
}

async function receive(request: Request, { app }: AppLoadContext, userId: string): Promise<ReceivedUpload> {
  const outcomes: UploadOutcome[] = []
  const failures: FailureCode[] = []
  const firstCount = await countFileWrites(app, userId)
  const refused = firstCount !== 'ok' ? firstCount : app.storage ? null : 'NOT_CONFIGURED'
  if (refused) {
    await openBody(request).discard(DISCARD_OF_UPLOADS)
    return { outcomes, failure: refused }
  }

  const store = async (file: IncomingFile, sentKey: string | undefined): Promise<Stored> => {
    const counted = file.index === 0 ? firstCount : await countFileWrites(app, userId)
    if (counted !== 'ok') return { refused: counted }
    const key = z
      .uuid()
      .optional()
      .safeParse(sentKey || undefined)
    if (!key.success) return { refused: 'INVALID_INPUT' }
    return storeUpload(app, {
      userId,
      name: file.fileName,
      bytes: file.bytes,
      accepts: processorInputTypes(),
      request: key.data === undefined ? null : { key: key.data, index: file.index },
    })
  }

  const problem = await readIncomingFiles(request, {
    owner: userId,
    field: 'file',
    keyField: 'requestKey',
    maxFileBytes: app.site.files.maxBytes,
    take: async (file, sentKey) => {
      const stored = await store(file, sentKey)
      const refused = 'refused' in stored ? stored.refused : null
      if (refused) failures.push(refused)
      outcomes.push({
        name: cleanName(file.fileName),
        fileId: 'fileId' in stored ? stored.fileId : null,
        failure: refused && uploadFailureText(refused),
      })
    },
  })
  const missing = outcomes.length === 0 ? 'INVALID_INPUT' : null
  return { outcomes, failure: problem ?? failures[0] ?? missing }
}
