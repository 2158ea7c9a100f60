import { data, type AppLoadContext } from '@remix-run/cloudflare'
import * as z from 'zod'
import { BULK_MAX, SEARCH_MAX_LENGTH } from '../config/limits'
import { listFiles, storageUse } from '../files/queries.server'
import { acceptOf } from '../files/types'
import { processorInputTypes } from '../tasks/processors/registry.server'
import { fileRow } from './file-view.server'
import { failureText } from './task-view.server'

/** What the page of files shows; throws the 400 answer for a broken cursor. Two statements, sent together. */
export async function filesPage(request: Request, { app }: AppLoadContext, userId: string) {
  const query = new URL(request.url).searchParams
  const search = searchedName(query.get('q'))
  const [page, use] = await Promise.all([
    listFiles(app, { userId, search, after: query.get('after'), before: query.get('before') }),
    storageUse(app, userId),
  ])
  if (page === 'INVALID_INPUT') throw data(failureText('INVALID_INPUT'), { status: 400 })
  const href = (direction: 'after' | 'before', cursor: string | null) =>
    cursor && `/files?${new URLSearchParams({ ...(search && { q: search }), [direction]: cursor })}`
  return {
    files: page.files.map(fileRow),
    search,
    use,
    accepts: acceptOf(processorInputTypes()),
    maxFileBytes: app.site.files.maxBytes,
    uploadKey: crypto.randomUUID() as string,
    nextPage: href('after', page.nextCursor),
    previousPage: href('before', page.previousCursor),
  }
}

/** What was searched for, composed as names are stored. Control characters are in no name. */
export function searchedName(text: string | null): string {
  return (text ?? '')
    .slice(0, SEARCH_MAX_LENGTH)
    .normalize('NFC')
    .replace(/\p{Cc}/gu, ' ')
    .trim()
}

/** The files that a form with several names, each once; null for none, too many, and ids that can't be anybody's. */
export function chosenFiles(fields: URLSearchParams): string[] | null {
  const chosen = new Set(fields.getAll('fileId').map((id) => id.toLowerCase()))
  return (
    z
      .array(z.uuid())
      .min(1)
      .max(BULK_MAX)
      .safeParse([...chosen]).data ?? null
  )
}
