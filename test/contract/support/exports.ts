import type { ExportCreate, ExportDetail } from '@whereabouts/contracts/resources/tracking/exports'
import { expect } from 'vitest'
import type { Api, CallOptions } from './api.ts'
import { succeed } from './organization.ts'

/** Begins an export, and waits until it is done or failed. */
export async function finishedExport(
  api: Api,
  token: string,
  body: Partial<ExportCreate>,
): Promise<ExportDetail> {
  const { id: export_id } = (await succeed(api.call('createExport', { token, body }))).body.data
  const read = async () => (await api.call('getExport', { token, params: { export_id } })).body.data
  await expect.poll(async () => (await read()).finished_at, { timeout: 20_000 }).not.toBeNull()
  return read()
}

/** The request of a link. */
export function linkOf(url: string): Required<Pick<CallOptions, 'params' | 'query'>> {
  const [, export_id = '', file_name = '', signature = ''] =
    /\/exports\/(\d+)\/files\/([^?]+)\?signature=(.+)$/.exec(url) ?? []
  return { params: { export_id, file_name }, query: { signature } }
}
