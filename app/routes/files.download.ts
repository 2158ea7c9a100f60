import type { LoaderFunctionArgs } from '@remix-run/cloudflare'
import { archiveRefusal } from '~/components/wording'
import { openArchive } from '~/files/archive.server'
import { findFiles } from '~/files/queries.server'
import { archiveResponse } from '~/http/archive.server'
import { chosenFiles } from '~/http/files-page.server'
import { requireReader } from '~/http/limited-user.server'
import { plainFailure } from '~/http/plain-page.server'

/** Several own files as one ZIP, all or none: when one isn't there the answer says which. Each counts as a read. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const fileIds = chosenFiles(new URL(request.url).searchParams)
  const user = await requireReader(request, context, fileIds?.length ?? 1)
  if (!fileIds) return plainFailure(request, 'INVALID_INPUT')
  const found = await findFiles(context.app, { userId: user.id, fileIds })
  const unavailable = found.flatMap((each) => ('file' in each ? [] : [each]))
  if (unavailable[0]) {
    const names = unavailable.map(({ name }) => name)
    return plainFailure(request, unavailable[0].reason, archiveRefusal(names, found.length))
  }
  const files = found.flatMap((each) => ('file' in each ? [each.file] : []))
  const archive = await openArchive(context.app, files)
  if (!('missing' in archive)) return archiveResponse(archive, request)
  const names = archive.missing.map(({ name }) => name)
  return plainFailure(request, 'FILE_NOT_FOUND', archiveRefusal(names, files.length))
}
