import { z } from 'zod'
import type { ZodOpenApiResponseObject } from 'zod-openapi'
import { errorTypes, type ErrorType } from '../errors.ts'
import { ConflictSchema, FieldEntrySchema } from '../rules/error-schemas.ts'
import { openEnum } from '../rules/open-enum.ts'
import { errorHeaders, type Vocabulary } from './openapi-headers.ts'
import { JSON_MEDIA_TYPE, type Route } from '../route.ts'
import { routePath } from '../routes.ts'

/** The errors of the API description: one envelope, one response per status. */

const ErrorEnvelopeSchema = z
  .object({
    error: z.object({
      type: openEnum(Object.keys(errorTypes), 'Branch on this.'),
      title: z.string().meta({ description: 'For people. The text may change.' }),
      status: z.int().meta({ override: { type: 'integer' }, description: 'The HTTP status.' }),
      detail: z.string().meta({ description: 'For people. The text may change.' }),
      instance: z.string().meta({ description: 'The path of the request.' }),
      request_id: z.string().meta({ description: 'The value of the `X-Request-ID` header.' }),
      fields: z
        .array(FieldEntrySchema)
        .optional()
        .meta({ description: 'Only on `validation_error`: one entry per problem.' }),
      conflict: ConflictSchema.optional().meta({
        description: 'Only on `conflict`: what has the key or the tag that you sent, if it still has it.',
      }),
      cursor: z
        .object({
          oldest: z.string().meta({ description: 'All events that are kept come after it.' }),
          newest: z.string().meta({ description: 'Only what happens from here on comes after it.' }),
        })
        .optional()
        .meta({ description: 'Only on `gone` of events: what can be read, because `after` is older.' }),
      second_factor: z.boolean().optional().meta({
        description:
          'Only on `unauthorized` of a sign-in: the password is right, and a code is missing or wrong.',
      }),
      count: z.int().optional().meta({
        description: 'Only on `conflict` of a rule: how many alerts it would raise at once.',
      }),
    }),
  })
  .meta({ id: 'Error' })

const details: Record<ErrorType, string> = {
  validation_error: 'name is required',
  bad_request: 'Request body is not valid JSON',
  unauthorized: 'Missing authorization header',
  forbidden: 'Missing required scope: assets:read',
  not_found: 'Asset not found',
  method_not_allowed: 'Allowed methods: GET, HEAD, POST',
  conflict: 'tag rfid:E28011606000020A1B2C3D4E already exists',
  gone: 'Events after this cursor were removed. Read everything again, then go on with error.cursor',
  precondition_failed:
    'If-Match names another state than the current one. Read it again, and repeat the change with its ETag',
  payload_too_large: 'Request body must be at most 1 MiB',
  unsupported_media_type: 'Content-Type must be application/json',
  range_not_satisfiable: 'The file has 5120 bytes',
  rate_limited: 'Retry after 3 seconds',
  internal_error: 'An unexpected error occurred',
  service_unavailable: 'The service is temporarily unavailable',
}

const WITHDRAWN = 'The legacy vocabulary was withdrawn; use /api/v1'

function example(type: ErrorType, vocabulary: Vocabulary): object {
  const { status, title } = errorTypes[type]
  const error = {
    type,
    title,
    status,
    detail: type === 'gone' && vocabulary === 'legacy' ? WITHDRAWN : details[type],
    instance: routePath({ vocabulary, path: '/assets' } as Pick<Route, 'vocabulary' | 'path'>),
    request_id: '01KAJ7D3W0Z8Q4N5V6B7M8K9P0',
  }
  if (type !== 'validation_error') return { value: { error } }
  return {
    value: { error: { ...error, fields: [{ field: 'name', code: 'required', message: details[type] }] } },
  }
}

const typesOf = (status: number) =>
  (Object.keys(errorTypes) as ErrorType[]).filter((type) => errorTypes[type].status === status)

/**
 * The web filter answers before all other steps, without the envelope (D2.1). Its text is not declared as content:
 * generators make the type of every error `Error | string` of it, or parse the text as JSON.
 */
const REFUSED_AGENT =
  'As `text/plain`, without this body: the `User-Agent` is missing, empty or a default of an HTTP library.'

const notes: Record<number, string> = {
  403: REFUSED_AGENT,
  415: 'The `Content-Type` is missing or is none that the operation takes: PATCH takes `application/merge-patch+json`.',
}

/** One response component per status. If two types share a status, the examples show both. */
function errorResponse(status: number, vocabulary: Vocabulary): ZodOpenApiResponseObject {
  const types = typesOf(status)
  const examples = Object.fromEntries(types.map((type) => [type, example(type, vocabulary)]))
  return {
    id: `Error${status}`,
    description: [
      types.map((type) => `${errorTypes[type].title} (\`${type}\`)`).join(' or '),
      ...(notes[status] === undefined ? [] : [notes[status]]),
    ].join('. '),
    headers: errorHeaders(status, vocabulary),
    content: { [JSON_MEDIA_TYPE]: { schema: ErrorEnvelopeSchema, examples } },
  }
}

/** The 403 of operations without a scope, which only the web filter answers. */
const refusedAgent = (vocabulary: Vocabulary): ZodOpenApiResponseObject => ({
  id: 'RefusedUserAgent',
  description: 'As `text/plain`: the `User-Agent` is missing, empty or a default of an HTTP library.',
  headers: errorHeaders(405, vocabulary).pick({ 'X-Request-ID': true }),
})

/** Errors that the gateway and the service kit may answer, in addition to those of the row. */
function impliedErrors(row: Route): ErrorType[] {
  const types: ErrorType[] = ['internal_error', 'service_unavailable']
  if (row.access !== 'none') types.push('unauthorized')
  if (!['none', 'key', 'any'].includes(row.access)) types.push('forbidden')
  // Also a request that does not count, if too many of its organization wait (ADR 63).
  if (row.access !== 'none') types.push('rate_limited')
  // Broken percent-encoding and unknown parameters: every operation may answer 400.
  types.push('bad_request', 'validation_error')
  if (row.body ?? row.upload) types.push('payload_too_large', 'unsupported_media_type')
  if (row.message) types.push('payload_too_large', 'unsupported_media_type')
  if (row.conditional && row.method !== 'GET') types.push('precondition_failed')
  if (row.idempotent) types.push('conflict')
  if (row.vocabulary === 'legacy') types.push('gone')
  return types
}

type ErrorResponses = Record<`${4 | 5}${string}` | 'default', ZodOpenApiResponseObject>

/** So that generated clients read the errors of statuses that come later. */
const anyError = (vocabulary: Vocabulary): ZodOpenApiResponseObject => ({
  id: 'AnyError',
  description: 'Any other error. All errors have this body.',
  headers: errorHeaders(405, vocabulary).pick({ 'X-Request-ID': true }),
  content: {
    [JSON_MEDIA_TYPE]: {
      schema: ErrorEnvelopeSchema,
      examples: { internal_error: example('internal_error', vocabulary) },
    },
  },
})

/**
 * Returns a function for the documented errors of a row, in ascending order of status, and `default` last. Use one per
 * document.
 */
export function errorResponses(vocabulary: Vocabulary): (row: Route) => ErrorResponses {
  const made = new Map<number, ZodOpenApiResponseObject>()
  const withoutScope = refusedAgent(vocabulary)
  const otherwise = anyError(vocabulary)
  const responseOf = (status: number) => {
    const response = made.get(status) ?? errorResponse(status, vocabulary)
    made.set(status, response)
    return response
  }
  return (row) => {
    const statuses = [...impliedErrors(row), ...row.errors].map((type) => errorTypes[type].status)
    const sorted = [...new Set([...(row.bySignature ? [] : [403]), ...statuses])].toSorted((a, b) => a - b)
    const forbidden = statuses.includes(403) ? responseOf(403) : withoutScope
    const entries = sorted.map(
      (status) => [String(status), status === 403 ? forbidden : responseOf(status)] as const,
    )
    return { ...Object.fromEntries(entries), default: otherwise }
  }
}
