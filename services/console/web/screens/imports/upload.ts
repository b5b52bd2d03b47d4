import { ApiError, type components } from '@whereabouts/client/client'
import { accessToken } from '../../session/session.ts'
import type { Import, Resource } from './import-files.ts'

type Upload = {
  file: File
  resource: Resource
  isDryRun: boolean
  signal: AbortSignal
  /** How much has been sent, of 1. */
  onProgress: (sent: number) => void
}

type Answer = { status: number; body: unknown }

/** Throws `ApiError`. A token that was refused is replaced once, as for all other requests. */
export async function upload(asked: Upload): Promise<Import> {
  const token = await accessToken()
  let answer = await send(asked, token)
  if (answer.status === 401) {
    const other = await accessToken(token)
    if (other !== undefined) answer = await send(asked, other)
  }
  if (answer.status === 201) return (answer.body as { data: Import }).data
  const { error } = (answer.body ?? {}) as Partial<components['schemas']['Error']>
  throw new ApiError(answer.status, error)
}

/** By XMLHttpRequest: fetch does not tell how much of a body has been sent. */
function send({ file, resource, isDryRun, signal, onProgress }: Upload, token = ''): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const request = new XMLHttpRequest()
  request.open('POST', `/api/v1/imports?resource=${resource}&dry_run=${String(isDryRun)}`)
  request.setRequestHeader('content-type', 'text/csv')
  request.setRequestHeader('authorization', `Bearer ${token}`)
  request.upload.addEventListener('progress', ({ loaded, total }) =>
    onProgress(total === 0 ? 1 : loaded / total),
  )
  request.addEventListener('load', () => resolve({ status: request.status, body: bodyOf(request) }))
  request.addEventListener('error', () => reject(new TypeError('the file could not be sent')))
  request.addEventListener('abort', () => reject(new DOMException('cancelled', 'AbortError')))
  signal.addEventListener('abort', () => request.abort())
  request.send(file)
  return promise
}

function bodyOf(request: XMLHttpRequest): unknown {
  try {
    return JSON.parse(request.responseText)
  } catch {
    return undefined // a proxy answered: the status says what is known
  }
}
