import {
  EXPORT_HOURS,
  type ExportDetail,
  type ExportView,
} from '@whereabouts/contracts/resources/tracking/exports'
import { epochMs } from '@whereabouts/contracts/rules/instant'
import { API_PREFIX } from '@whereabouts/contracts/routes'
import type { ExportFileRow, ExportRow } from './exports.queries.ts'
import { signatureOf } from './files/signatures.ts'

/** An export in a response, without its files. */
export function toExportView(row: ExportRow): ExportView {
  const { id, dataset, format, status, rows, bytes, problem, created_at, finished_at } = row
  return {
    id,
    dataset,
    format,
    from: row.from_at,
    to: row.to_at,
    status,
    progress: status === 'failed' ? 0 : Math.round((row.next_file / row.file_count) * 1000) / 1000,
    rows,
    bytes,
    problem,
    created_at,
    finished_at,
    expires_at:
      finished_at === null ? null : new Date(epochMs(finished_at) + EXPORT_HOURS * 3_600_000).toISOString(),
  }
}

export const toExportDetail = (row: ExportRow, files: readonly ExportFileRow[]): ExportDetail => ({
  ...toExportView(row),
  files: files.map(({ name, day, rows, bytes, sha256 }) => ({
    name,
    day,
    rows,
    bytes,
    sha256,
    url: `${API_PREFIX}/exports/${row.id}/files/${name}?signature=${signatureOf(row.link_key, name)}`,
  })),
})
