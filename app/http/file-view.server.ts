import type { FileRow } from '../components/types'
import type { StoredFile } from '../files/queries.server'

export function fileRow(file: StoredFile): FileRow {
  return { ...file, createdAt: file.createdAt.toISOString(), expiresAt: file.expiresAt.toISOString() }
}
