import type { Archive } from '../files/archive.server'
import { attachmentAs } from './disposition.server'
import { INERT } from './download.server'

/** What an archive of chosen files is called. */
const ARCHIVE_NAME = 'files.zip'

/**
 * An archive as an answer, with the headers of a download and its exact length: one that fails on the way is a broken
 * transfer for whoever receives it. It has no tag and no parts.
 */
export function archiveResponse({ length, stream }: Archive, request: Request): Response {
  const headers = new Headers({
    ...INERT,
    'Content-Disposition': attachmentAs(ARCHIVE_NAME),
    'Content-Type': 'application/zip',
    'Content-Length': String(length),
  })
  if (request.method === 'HEAD') return new Response(null, { headers })
  return new Response(stream.pipeThrough(new FixedLengthStream(length)), { headers })
}
