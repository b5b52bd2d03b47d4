import { z } from 'zod'
import { TOTAL_COUNT_HEADER, type Route } from '../route.ts'

/** The headers of the API description: of requests and of responses. */

type Of = [id: string, type: 'string' | 'integer', example: string | number, description: string]

const about = (...[id, type, example, description]: Of) => ({
  override: { type },
  example,
  header: { id, description },
})
const always = (...of: Of) => z.string().meta(about(...of))
const sometimes = (...of: Of) =>
  z
    .string()
    .optional()
    .meta(about(...of))

const requestIdParameter = z
  .string()
  .optional()
  .meta({
    param: { id: 'RequestId' },
    description:
      'Your id of the request. The API returns it unchanged and does not validate it. Without one, it creates a ULID.',
  })

const conditions = {
  'If-None-Match': z
    .string()
    .optional()
    .meta({
      param: { id: 'IfNoneMatch' },
      example: '"kJ3vXb0Qm2nYz8Lr5TqWcA"',
      description: 'The `ETag` of what you have. If nothing has changed, the API responds with 304.',
    }),
  'If-Match': z
    .string()
    .optional()
    .meta({
      param: { id: 'IfMatch' },
      example: '"kJ3vXb0Qm2nYz8Lr5TqWcA"',
      description:
        'The `ETag` of what you have read. If it has changed since, the API responds with 412 and changes nothing.',
    }),
}
const idempotencyKey = z
  .string()
  .optional()
  .meta({
    param: { id: 'IdempotencyKey' },
    example: 'b7c3f1de-3b3f-4b7e-9c55-0d7f6f0f6a51',
    description:
      'Your name for this request, at most 255 printable ASCII characters. For 24 hours, the same request with the same ' +
      'name has the first response again, with `Idempotent-Replayed: true`, and changes nothing.',
  })

/** The headers that an operation takes. */
export const requestHeaders = ({ conditional, idempotent, method }: Route) =>
  z.object({
    'X-Request-ID': requestIdParameter,
    ...(conditional && (method === 'GET' ? pick('If-None-Match') : pick('If-Match'))),
    ...(idempotent && { 'Idempotency-Key': idempotencyKey }),
  })
const pick = (name: keyof typeof conditions) => ({ [name]: conditions[name] })

const entityTag = sometimes(
  'ETag',
  'string',
  '"kJ3vXb0Qm2nYz8Lr5TqWcA"',
  'Stands for the state of the response, tags included. The same in every encoding.',
)
const replayed = sometimes(
  'Idempotent-Replayed',
  'string',
  'true',
  'Present on the response to a repeated request, which changed nothing.',
)

const requestId = always(
  'X-Request-ID',
  'string',
  '01KAJ7D3W0Z8Q4N5V6B7M8K9P0',
  'The id of the request: yours or a ULID. Quote it when you report a problem.',
)

const rateLimits = {
  'X-RateLimit-Limit': [60, 'Requests per minute.'],
  'X-RateLimit-Remaining': [42, 'Requests left, at most the limit.'],
  'X-RateLimit-Reset': [1_795_255_218, 'Unix second when Remaining equals Limit again.'],
  'RateLimit-Policy': ['60;w=60', 'The sustained rate: requests and seconds.'],
} as const

const typeOf = (example: string | number) => (typeof example === 'number' ? 'integer' : 'string')

/** Only for buckets of keys; users get no such headers (D12.10). */
const rateLimitHeaders = Object.fromEntries(
  Object.entries(rateLimits).map(([name, [value, text]]) => [
    name,
    sometimes(name, typeOf(value), value, `${text} Always present for API keys.`),
  ]),
)

/** The same on errors, whose components all operations share. */
const rateLimitHeadersOfErrors = Object.fromEntries(
  Object.entries(rateLimits).map(([name, [value, text]]) => [
    name,
    sometimes(`${name}-Of-Counted-GET`, typeOf(value), value, `${text} Only on counted GETs.`),
  ]),
)

const retryAfter = always('Retry-After', 'integer', 3, 'Seconds to wait before a retry.')
const wwwAuthenticate = always('WWW-Authenticate', 'string', 'Bearer realm="api"', 'How to authenticate.')
const about201 = 'The path of the new resource.'
const location = sometimes('Location', 'string', '/api/v1/assets/4503599627370497', about201)
const legacyLocation = sometimes('Location', 'string', '/legacy/api/v1/assets/FORKLIFT-7', about201)
const help = always(
  'Link',
  'string',
  '</docs/errors#not_found>; rel="help"',
  'What to do about errors of this type.',
)
const allow = always('Allow', 'string', 'GET, HEAD, POST', 'The methods that the path supports.')

const totalCount = sometimes(
  TOTAL_COUNT_HEADER,
  'integer',
  120,
  'With `text/csv`: the number of rows on all pages.',
)

const deprecation = {
  Deprecation: always('Deprecation', 'string', 'true', 'Always `true`: this vocabulary will be removed.'),
  Sunset: sometimes(
    'Sunset',
    'string',
    'Tue, 01 Jun 2027 00:00:00 GMT',
    'From this date on, every path responds with 410. Absent until a date is set.',
  ),
}

export type Vocabulary = Route['vocabulary']

const onEvery = (vocabulary: Vocabulary) => ({
  'X-Request-ID': requestId,
  ...(vocabulary === 'legacy' && deprecation),
})

/** Statuses that are answered after a token was taken from the bucket. The others are answered before that. */
const AFTER_COUNTING = new Set([400, 403, 404, 429, 500, 503])

export function errorHeaders(status: number, vocabulary: Vocabulary) {
  return z.object({
    ...onEvery(vocabulary),
    Link: help,
    ...(AFTER_COUNTING.has(status) && rateLimitHeadersOfErrors),
    ...(status === 401 && { 'WWW-Authenticate': wwwAuthenticate }),
    ...(status === 405 && { Allow: allow }),
    ...((status === 429 || status === 503) && { 'Retry-After': retryAfter }),
  })
}

export function successHeaders({ vocabulary, success, counted, method, conditional, idempotent }: Route) {
  return z.object({
    ...onEvery(vocabulary),
    ...(success.status === 201 && { Location: vocabulary === 'legacy' ? legacyLocation : location }),
    ...(counted && method === 'GET' && rateLimitHeaders),
    ...(success.csv && { [TOTAL_COUNT_HEADER]: totalCount }),
    ...(conditional && success.status !== 204 && { ETag: entityTag }),
    ...(idempotent && { 'Idempotent-Replayed': replayed }),
  })
}
