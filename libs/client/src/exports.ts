import { unwrap, type Client, type components } from './client.ts'
import { errorOf } from './errors.ts'
import { sleep } from './retry.ts'

type Schemas = components['schemas']
export type Export = Schemas['Export']
/** With its files so far. */
export type ExportDetail = Schemas['ExportDetail']
export type ExportFile = Schemas['ExportFile']
export type ExportRequest = Schemas['ExportCreate']

export type ExportWait = {
  /** Called with each state that was read, also the last one. */
  onProgress?: (state: ExportDetail) => void
  /** Between two reads, each of which counts against the rate of the key. Default 2 000. */
  intervalMs?: number
  signal?: AbortSignal
  /** For tests. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** The rows of an export could not be made into files. The message says what to do. */
export class ExportFailed extends Error {
  override readonly name = 'ExportFailed'
}

type Signalled = { signal?: AbortSignal }
const PAGE = 200

const pathOf = (id: number, signal: AbortSignal | undefined) => ({
  params: { path: { export_id: id } },
  ...(signal && { signal }),
})

export const createExport = async (
  api: Client,
  body: ExportRequest,
  { signal }: Signalled = {},
): Promise<Export> => unwrap(await api.POST('/api/v1/exports', { body, ...(signal && { signal }) })).data

export const getExport = async (api: Client, id: number, { signal }: Signalled = {}): Promise<ExportDetail> =>
  unwrap(await api.GET('/api/v1/exports/{export_id}', pathOf(id, signal))).data

export async function listExports(api: Client, { signal }: Signalled = {}): Promise<Export[]> {
  const found: Export[] = []
  for (let total = 1; found.length < total;) {
    const params = { query: { limit: PAGE, offset: found.length } }
    const page = unwrap(await api.GET('/api/v1/exports', { params, ...(signal && { signal }) }))
    found.push(...page.data)
    total = page.data.length === 0 ? 0 : page.total_count // some may have been removed meanwhile
  }
  return found
}

export async function deleteExport(api: Client, id: number, { signal }: Signalled = {}): Promise<void> {
  unwrap(await api.DELETE('/api/v1/exports/{export_id}', pathOf(id, signal)))
}

export async function waitForExport(
  api: Client,
  id: number,
  { onProgress, intervalMs = 2_000, signal = new AbortController().signal, wait = sleep }: ExportWait = {},
): Promise<ExportDetail> {
  for (;;) {
    const state = await getExport(api, id, { signal })
    onProgress?.(state)
    if (state.status === 'failed') throw new ExportFailed(state.problem ?? 'The export failed.')
    if (state.finished_at !== null) return state
    await wait(intervalMs, signal)
  }
}

/** Of one request, which has to arrive within the timeout of an attempt. */
const PIECE_BYTES = 4 * 2 ** 20

/**
 * The bytes of a file, piece by piece: so a connection that breaks costs one piece. `fetch` retries, and sends no token, because
 * the link is enough.
 */
export async function* download(
  fetch: (request: Request) => Promise<Response>,
  link: string,
  { name, bytes, sha256 }: Pick<ExportFile, 'name' | 'bytes' | 'sha256'>,
  { signal }: Signalled = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let first = 0; first < bytes; first += PIECE_BYTES) {
    const last = Math.min(first + PIECE_BYTES, bytes) - 1
    const headers = { range: `bytes=${first}-${last}`, 'if-range': `"${sha256}"` }
    const response = await fetch(new Request(link, { headers, ...(signal && { signal }) }))
    if (!response.ok) throw errorOf(response, await bodyOf(response))
    const piece = new Uint8Array(await response.arrayBuffer())
    if (response.status !== 206 || piece.length !== last - first + 1)
      throw new Error(`${name} is not the file of the export any more. Read the export again.`)
    yield piece
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text()
  return response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text
}
