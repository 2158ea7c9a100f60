import type { AppLoadContext } from '@remix-run/cloudflare'
import { listFiles, storageUse } from '../files/queries.server'
import { acceptOf } from '../files/types'
import { processorInputTypes } from '../tasks/processors/registry.server'
import { fileRow } from './file-view.server'

/** What the page of files shows; `INVALID_INPUT` for a broken cursor. Two statements, sent together. */
export async function filesPage(request: Request, { app }: AppLoadContext, userId: string) {
  const search = new URL(request.url).searchParams
  const [page, use] = await Promise.all([
    listFiles(app, { userId, after: search.get('after'), before: search.get('before') }),
    storageUse(app, userId),
  ])
  if (page === 'INVALID_INPUT') return page
  const href = (direction: 'after' | 'before', cursor: string | null) =>
    cursor && `/files?${new URLSearchParams({ [direction]: cursor })}`
  return {
    files: page.files.map(fileRow),
    use,
    accepts: acceptOf(processorInputTypes()),
    maxFileBytes: app.site.files.maxBytes,
    uploadKey: crypto.randomUUID() as string,
    nextPage: href('after', page.nextCursor),
    previousPage: href('before', page.previousCursor),
  }
}
