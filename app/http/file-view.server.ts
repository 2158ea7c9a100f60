import { data } from '@remix-run/cloudflare'
import type { FileRow, PreviewView } from '../components/types'
import { visibleText } from '../components/visible-text'
import { previewCut, previewNotes, UPLOAD_CONFLICT } from '../components/wording'
import { FAILURES, type FailureCode } from '../config/failures'
import type { Preview } from '../files/preview.server'
import type { StoredFile } from '../files/queries.server'
import { failureText } from './task-view.server'

export function fileRow(file: StoredFile): FileRow {
  const { id, name, type, size, origin, taskId, pinnedBy } = file
  const times = { createdAt: file.createdAt.toISOString(), expiresAt: file.expiresAt.toISOString() }
  return { id, name, type, size, origin, taskId, pinnedBy, ...times }
}

export function previewView({ encoding, pieces, shownBytes }: Preview, size: number): PreviewView {
  const { text, ...signs } = visibleText(pieces)
  return { text, cut: previewCut(shownBytes, size), notes: previewNotes({ encoding, ...signs }) }
}

/** Why an upload was refused. A form that was sent before means another thing here than where tasks are started. */
export function uploadFailureText(code: FailureCode) {
  return code === 'REQUEST_CONFLICT' ? { code, ...UPLOAD_CONFLICT } : failureText(code)
}

/** An error page of a file, to be thrown. */
export function fileFailure(code: FailureCode) {
  return data(failureText(code), { status: FAILURES[code].status })
}
