import { ApiError, type components } from '@whereabouts/client/client'
import { accessToken } from '../../../session/session.ts'
import type { EmptyCells, Import, Resource } from './import-files.ts'

type Upload = {
  file: File
  resource: Resource
  isDryRun: boolean
  emptyCells: EmptyCells
  /** The column of each header that is not known; empty: ignored. */
  assigned: Readonly<Record<string, string>>
  signal: AbortSignal
  /** Share of the file that was sent, from 0 to 1. */
  onProgress: (sent: number) => void
}

type UploadResponse = { status: number; body: unknown }

/** Throws `ApiError`. Replaces a refused token once, as all other requests do. */
export async function upload(request: Upload): Promise<Import> {
  const token = await accessToken()
  let response = await send(request, token)
  if (response.status === 401) {
    const other = await accessToken(token)
    if (other !== undefined) response = await send(request, other)
  }
  if (response.status === 201) return (response.body as { data: Import }).data
  const { error } = (response.body ?? {}) as Partial<components['schemas']['Error']>
  throw new ApiError(response.status, error)
}

/** Uses XMLHttpRequest, because fetch does not report upload progress. */
function send(
  { file, resource, isDryRun, emptyCells, assigned, signal, onProgress }: Upload,
  token = '',
): Promise<UploadResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<UploadResponse>()
  const request = new XMLHttpRequest()
  const query = new URLSearchParams({ resource, dry_run: String(isDryRun), empty_cells: emptyCells })
  for (const [header, column] of Object.entries(assigned)) query.append('column', `${header}:${column}`)
  request.open('POST', `/api/v1/imports?${query}`)
  request.setRequestHeader('content-type', 'text/csv')
  request.setRequestHeader('authorization', `Bearer ${token}`)
  request.upload.addEventListener('progress', ({ loaded, total }) =>
    onProgress(total === 0 ? 1 : loaded / total),
  )
  request.addEventListener('load', () => resolve({ status: request.status, body: bodyOf(request) }))
  request.addEventListener('error', () => reject(new TypeError('the upload failed')))
  request.addEventListener('abort', () => reject(new DOMException('cancelled', 'AbortError')))
  signal.addEventListener('abort', () => request.abort())
  request.send(file)
  return promise
}

function bodyOf(request: XMLHttpRequest): unknown {
  try {
    return JSON.parse(request.responseText)
  } catch {
    return undefined // a proxy answered: only the status is known
  }
}
