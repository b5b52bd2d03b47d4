import {
  API_PREFIX,
  routes,
  type OperationId,
  type ReplyOf,
  type Routes,
} from '@whereabouts/contracts/routes'
import type { Route } from '@whereabouts/contracts/route'
import { setTimeout as delay } from 'node:timers/promises'
import { errorText } from '../../error-text.ts'

/** The input of the body's schema. */
type BodySent<K extends OperationId> = Routes[K] extends { body: { _zod: { input: infer Input } } }
  ? Input
  : never

export type UploadedFile = { mediaType: 'text/csv' | 'image/svg+xml'; text: string }

export type Call<K extends OperationId> = {
  token?: string
  params?: Record<string, string | number>
  query?: Record<string, string>
  body?: BodySent<K>
  /** A file to upload, instead of a body. */
  file?: UploadedFile
}

/** The public API as an integrator calls it: operation id in, parsed reply out. */
export type Api = <K extends OperationId>(operation: K, call?: Call<K>) => Promise<ReplyOf<K>>

/** A response outside 2xx, with the `detail` of the envelope. The message is for users. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly detail: string

  constructor(request: string, status: number, detail: string, requestId: string | null) {
    super(`${request} answered ${status}: ${detail}${requestId ? ` (request ${requestId})` : ''}`)
    this.status = status
    this.detail = detail
  }
}

const ATTEMPTS = 5
const TIMEOUT_MS = 15_000

type Options = { baseUrl: string; signal?: AbortSignal }

/**
 * Retries after network errors, 503 and 429. A create whose first response was lost then answers 409.
 */
export function createApi({ baseUrl, signal }: Options): Api {
  return async (operation, call = {}) => {
    const route: Route = routes[operation]
    const url = new URL(baseUrl + API_PREFIX + fillPath(route.path, call.params ?? {}))
    url.search = new URLSearchParams(call.query).toString()
    const init = {
      method: route.method,
      headers: headersOf(call),
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      ...(call.file && { body: call.file.text }),
    }
    const request = `${route.method} ${url.href}`
    const send = () => fetch(url, { ...init, signal: withTimeout(signal) })
    const response = await persist(request, { send, signal })
    const text = await response.text()
    if (!response.ok) throw refusal(request, response, text)
    // The service validates its replies against the same table.
    return JSON.parse(text === '' ? 'null' : text)
  }
}

function fillPath(path: string, params: Record<string, string | number>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

function headersOf({
  token,
  body,
  file,
}: {
  token?: string
  body?: unknown
  file?: UploadedFile
}): Record<string, string> {
  return {
    'user-agent': 'whereabouts-demo/1', // a library's default is refused
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(file && { 'content-type': file.mediaType }),
  }
}

function withTimeout(signal: AbortSignal | undefined): AbortSignal {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  return signal ? AbortSignal.any([signal, timeout]) : timeout
}

type Sending = { send: () => Promise<Response>; signal: AbortSignal | undefined }

async function persist(request: string, sending: Sending, attempt = 1): Promise<Response> {
  const isLast = attempt === ATTEMPTS
  const response = await sending.send().catch((error: unknown) => {
    if (isLast || sending.signal?.aborted)
      throw new Error(`${request} failed: ${errorText(error)}`, { cause: error })
    return undefined
  })
  if (response && (isLast || (response.status !== 503 && response.status !== 429))) return response
  await response?.body?.cancel()
  const wantedMs = Number(response?.headers.get('retry-after') ?? 0) * 1000
  await delay(Math.max(wantedMs, 100 * 2 ** attempt) * (0.9 + Math.random() * 0.2))
  return persist(request, sending, attempt + 1)
}

function refusal(request: string, response: Response, text: string): ApiError {
  const { detail, request_id: requestId } = envelopeOf(text)
  const shown = detail ?? (text.slice(0, 200) || response.statusText)
  return new ApiError(request, response.status, shown, requestId ?? response.headers.get('x-request-id'))
}

/** Empty when the response is not our envelope. */
function envelopeOf(text: string): { detail?: string; request_id?: string } {
  try {
    return JSON.parse(text)?.error ?? {}
  } catch {
    return {}
  }
}
