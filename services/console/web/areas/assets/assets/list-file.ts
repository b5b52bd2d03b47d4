import { unwrap } from '@whereabouts/client/client'
import { receiveFile } from '../../../parts/download/receive-file.ts'
import { client } from '../../../session/api.ts'
import type { queryOf } from './use-assets.ts'

/** All assets of a list as it is now, in its order. */
export async function listFile(
  query: ReturnType<typeof queryOf>,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<File> {
  const params = { query: { ...query, window: 'current' as const } } // the list leaves out the others
  const body = unwrap(await client.GET('/api/v1/exports/assets', { params, parseAs: 'stream', signal }))
  if (!body) throw new Error('The export is empty')
  return receiveFile(body, { name: 'assets.csv', type: 'text/csv;charset=utf-8' }, onBytes)
}
