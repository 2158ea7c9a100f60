import * as z from 'zod'
import type { AppLoadContext } from '@remix-run/cloudflare'
import type { UploadOutcome } from '../components/types'
import type { FailureCode } from '../config/failures'
import { readUploadForm } from '../files/multipart.server'
import { cleanName } from '../files/names'
import { storeUpload } from '../files/upload.server'
import { countFileWrites } from '../rate-limits/count.server'
import { processorInputTypes } from '../tasks/processors/registry.server'
import { failureText } from './task-view.server'

export interface ReceivedUpload {
  /** What became of each file, in the form's order. */
  outcomes: UploadOutcome[]
  /** The first failure, which is the answer's status. */
  failure: FailureCode | null
}

/** Keeps each file of a form as it arrives. One that is refused keeps no other from being kept. */
export async function receiveUpload(
  request: Request,
  { app }: AppLoadContext,
  userId: string,
): Promise<ReceivedUpload> {
  const accepts = processorInputTypes()
  const outcomes: UploadOutcome[] = []
  const failures: FailureCode[] = []
  let requestKey: string | null = null

  const problem = await readUploadForm(request, app.site.files.maxBytes, async (part) => {
    if (part.kind === 'field') {
      // The key stands before the files in the form, so that it is known when they come.
      if (part.name === 'requestKey') requestKey = z.uuid().safeParse(part.value).data ?? null
      return
    }
    if (part.name !== 'file') return
    const stored =
      (await countFileWrites(app, userId)) === 'ok'
        ? await storeUpload(app, {
            userId,
            name: part.fileName,
            bytes: part.bytes,
            accepts,
            request: requestKey === null ? null : { key: requestKey, index: outcomes.length },
          })
        : ({ refused: 'RATE_LIMITED' } as const)
    const name = cleanName(part.fileName)
    if ('fileId' in stored) {
      outcomes.push({ name, fileId: stored.fileId, failure: null })
    } else {
      failures.push(stored.refused)
      outcomes.push({ name, fileId: null, failure: failureText(stored.refused) })
    }
  })
  if (problem) failures.push(problem)
  else if (outcomes.length === 0) failures.push('INVALID_INPUT')
  return { outcomes, failure: failures[0] ?? null }
}
