import type { ImportResource, ImportView } from '@whereabouts/contracts/resources/catalog/imports'
import { expect } from 'vitest'
import type { Api } from './api.ts'
import { succeed } from './organization.ts'

/** Sends a valid file. */
export async function sendFile(
  api: Api,
  token: string,
  resource: ImportResource,
  csv: string,
  dryRun = false,
): Promise<ImportView> {
  const query = { resource, dry_run: dryRun }
  return (await succeed(api.call('createImport', { token, query, body: csv }))).body.data
}

/** Like `sendFile`, but waits until the import is finished. */
export async function finishedImport(api: Api, token: string, ...file: FileOf): Promise<ImportView> {
  const { id } = await sendFile(api, token, ...file)
  return untilFinished(api, token, id)
}

type FileOf = [resource: ImportResource, csv: string, dryRun?: boolean]

export async function untilFinished(api: Api, token: string, import_id: number): Promise<ImportView> {
  const read = async () => (await api.call('getImport', { token, params: { import_id } })).body.data
  await expect.poll(async () => (await read()).finished_at, { timeout: 20_000 }).not.toBeNull()
  return read()
}
