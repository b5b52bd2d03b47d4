import { errorTypes, fieldCodes, type ErrorEnvelope } from '@whereabouts/contracts/errors'
import { EVENT_STREAM_MEDIA_TYPE } from '@whereabouts/contracts/route'
import { expect } from 'vitest'
import type { HttpReply, HttpRequest } from './http.ts'

export const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/

/** The rules for every reply of the public port. */
export function checkReply(request: HttpRequest, reply: HttpReply): void {
  const { status, headers, text } = reply
  const where = `${request.method} ${request.path} → ${status} ${text.slice(0, 500)}`
  expect(headers.get('access-control-allow-origin'), where).toBe('*')
  expect(headers.get('access-control-expose-headers'), where).toContain('X-Request-ID')
  const requestId = headers.get('x-request-id')
  const sent = request.headers['x-request-id']
  if (sent === undefined || sent === '') expect(requestId, where).toMatch(ULID)
  else expect(requestId, where).toBe(sent)
  expect(headers.get('x-content-type-options'), where).toBe('nosniff')
  if (isData(request.path))
    expect(headers.get('cache-control'), where).toBe(cacheControl(request.path, reply))
  // D1.2: every legacy reply says that it is deprecated, and no other one does.
  expect(headers.get('deprecation'), where).toBe(isLegacy(request.path) ? 'true' : null)
  if (request.method === 'HEAD' || status === 204 || status === 304) expect(text, where).toBe('')
  else if (status >= 400 && !isWebFilter(reply)) checkEnvelope(request, reply, where)
}

const isData = (path: string) => /^(?:\/legacy)?\/api\/v1\//.test(path)

/** D12.11. The token endpoint follows D9.1, and proxies may not change a stream either. */
function cacheControl(path: string, { headers }: HttpReply): string {
  if (/^(?:\/legacy)?\/api\/v1\/oauth\/token(?:\?|$)/.test(path)) return 'no-store'
  if (headers.has('etag')) return 'private, no-cache'
  const isStream = headers.get('content-type') === EVENT_STREAM_MEDIA_TYPE
  return isStream ? 'private, no-store, no-transform' : 'private, no-store'
}

const isLegacy = (path: string) => /^\/legacy(?:[/?]|$)/.test(path)

/** The web filter comes before the API and does not use its envelope (general fact 5). */
export const isWebFilter = ({ status, headers }: HttpReply): boolean =>
  status === 403 && headers.get('content-type')?.startsWith('text/plain') === true

const KEYS = ['type', 'title', 'status', 'detail', 'instance', 'request_id']
const ENTRY_KEYS = new Set(['field', 'code', 'message', 'params'])

function checkEnvelope(request: HttpRequest, { status, headers, text }: HttpReply, where: string): void {
  expect(headers.get('content-type'), where).toMatch(/^application\/json(?:; charset=utf-8)?$/)
  const body = JSON.parse(text) as ErrorEnvelope
  expect(Object.keys(body), where).toEqual(['error'])
  const { error } = body
  const ofType = errorTypes[error.type]
  expect(ofType, `an unknown error type: ${where}`).toBeDefined()
  expect(error, where).toMatchObject({ status, title: ofType.title })
  expect(ofType.status, where).toBe(status)
  expect(error.instance, where).toBe(request.path.split('?')[0] ?? '')
  expect(error.request_id, where).toBe(headers.get('x-request-id'))
  const own = {
    validation_error: ['fields'],
    conflict: (['conflict', 'count'] as const).filter((name) => error[name] !== undefined),
    unauthorized: error.second_factor ? ['second_factor'] : [],
  }
  const keys = [...KEYS, ...(own[error.type as keyof typeof own] ?? [])]
  expect(Object.keys(error).toSorted(), where).toEqual(keys.toSorted())
  if (error.type === 'validation_error') checkFields(error, where)
  checkHeaders(error, headers, where)
}

function checkFields({ detail, fields = [] }: ErrorEnvelope['error'], where: string): void {
  expect(fields.length, where).toBeGreaterThan(0)
  for (const entry of fields) {
    expect(
      Object.keys(entry).filter((key) => !ENTRY_KEYS.has(key)),
      where,
    ).toEqual([])
    expect(entry, where).toMatchObject({ field: expect.any(String), message: expect.any(String) })
    expect(fieldCodes, where).toContain(entry.code)
  }
  expect(detail, where).toBe(`${fields[0]?.message}${suffix(fields.length - 1)}`)
}

/** D3.2: the detail counts the entries it does not quote. */
function suffix(others: number): string {
  if (others === 0) return ''
  return others === 1 ? ' (and 1 more validation error)' : ` (and ${others} more validation errors)`
}

function checkHeaders({ type, detail }: ErrorEnvelope['error'], headers: Headers, where: string): void {
  expect(headers.get('link'), where).toBe(`</docs/errors#${type}>; rel="help"`)
  if (type === 'unauthorized')
    expect(headers.get('www-authenticate'), where).toMatch(
      /^(Basic realm="api", charset="UTF-8", )?Bearer realm="api"$/,
    ) // D16.3
  if (type === 'method_not_allowed') expect(detail, where).toBe(`Allowed methods: ${headers.get('allow')}`)
  if (type === 'service_unavailable') expect(headers.get('retry-after'), where).toMatch(/^[1-9][0-9]*$/)
  if (type !== 'rate_limited') return
  expect(headers.get('retry-after'), where).toMatch(/^[1-9][0-9]*$/)
  // An empty request bucket says only this; limits of the console's routes also name the limit.
  if (!detail.startsWith('At most '))
    expect(detail, where).toBe(`Retry after ${headers.get('retry-after')} seconds`)
}
