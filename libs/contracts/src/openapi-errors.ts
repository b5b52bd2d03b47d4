import { z } from 'zod'
import type { ZodOpenApiResponseObject } from 'zod-openapi'
import { errorTypes, fieldCodes, type ErrorType } from './errors.ts'
import type { Route } from './route.ts'

/** The error half of the API description: one envelope, one response per status. */

const FieldEntrySchema = z
  .object({
    field: z.string().meta({ example: 'name' }),
    code: z
      .string()
      .meta({ override: { type: 'string', 'x-extensible-enum': [...fieldCodes] }, example: 'required' }),
    message: z.string().meta({ example: 'name is required' }),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'FieldError' })

const ErrorEnvelopeSchema = z
  .object({
    error: z.object({
      type: z.string().meta({
        override: { type: 'string', 'x-extensible-enum': Object.keys(errorTypes) },
        description: 'Branch on this. New types may be added.',
      }),
      title: z.string(),
      status: z.int().meta({ override: { type: 'integer' } }),
      detail: z.string(),
      instance: z.string().meta({ description: 'The path of the request.' }),
      request_id: z.string().meta({ description: 'Equal to the X-Request-ID header.' }),
      fields: z
        .array(FieldEntrySchema)
        .optional()
        .meta({ description: 'Present on validation_error: one entry per field.' }),
    }),
  })
  .meta({ id: 'Error' })

export const requestIdHeader = z
  .string()
  .meta({ description: "The request's id: the caller's own, or a ULID.", header: { id: 'X-Request-ID' } })

const retryAfterHeader = z
  .string()
  .meta({ override: { type: 'integer' }, description: 'Seconds to wait.', header: { id: 'Retry-After' } })

const wwwAuthenticateHeader = z
  .string()
  .meta({ example: 'Bearer realm="api"', header: { id: 'WWW-Authenticate' } })

const details: Partial<Record<ErrorType, string>> = {
  validation_error: 'name is required',
  bad_request: 'Request body is not valid JSON',
  unauthorized: 'Missing authorization header',
  forbidden: 'Missing required scope: assets:read',
  not_found: 'Asset not found',
  conflict: 'tag rfid:E28011606000020A1B2C3D4E already exists',
  payload_too_large: 'Request body must be at most 1 MiB',
  unsupported_media_type: 'Content-Type must be application/json',
  rate_limited: 'Retry after 3 seconds',
  internal_error: 'An unexpected error occurred',
  service_unavailable: 'The service is temporarily unavailable',
}

function example(type: ErrorType): object {
  const { status, title } = errorTypes[type]
  const error = {
    type,
    title,
    status,
    detail: details[type] ?? title,
    instance: '/api/v1/assets',
    request_id: '01KAJ7D3W0Z8Q4N5V6B7M8K9P0',
  }
  if (type !== 'validation_error') return { value: { error } }
  return {
    value: { error: { ...error, fields: [{ field: 'name', code: 'required', message: details[type] }] } },
  }
}

function headersOf(status: number) {
  const always = { 'X-Request-ID': requestIdHeader }
  if (status === 401) return z.object({ ...always, 'WWW-Authenticate': wwwAuthenticateHeader })
  if (status === 429 || status === 503) return z.object({ ...always, 'Retry-After': retryAfterHeader })
  return z.object(always)
}

/** One response component per status; where two types share a status, the examples show both. */
function responseOf(status: number): ZodOpenApiResponseObject {
  const types = typesOf.filter((type) => errorTypes[type].status === status)
  return {
    id: `Error${status}`,
    description: types.map((type) => errorTypes[type].title).join(' or '),
    headers: headersOf(status),
    content: {
      'application/json': {
        schema: ErrorEnvelopeSchema,
        examples: Object.fromEntries(types.map((type) => [type, example(type)])),
      },
    },
  }
}

const typesOf = Object.keys(errorTypes) as ErrorType[]
const responses = new Map(
  [...new Set(typesOf.map((type) => errorTypes[type].status))].map((s) => [s, responseOf(s)]),
)

/** What the gateway and the service kit can answer for a row, beyond what the row itself lists. */
function impliedErrors(row: Route): ErrorType[] {
  const types: ErrorType[] = ['internal_error', 'service_unavailable']
  if (row.access !== 'none') types.push('unauthorized')
  if (row.access !== 'none' && row.access !== 'key') types.push('forbidden')
  if (row.counted) types.push('rate_limited')
  if (row.body) types.push('payload_too_large', 'unsupported_media_type')
  return types
}

/** Every documented error of a row, by status in ascending order. */
export function errorResponsesOf(row: Route): Record<`${4 | 5}${string}`, ZodOpenApiResponseObject> {
  const statuses = [...impliedErrors(row), ...row.errors].map((type) => errorTypes[type].status)
  const sorted = [...new Set(statuses)].toSorted((a, b) => a - b)
  return Object.fromEntries(sorted.map((status) => [String(status), responses.get(status)])) as Record<
    `${4 | 5}${string}`,
    ZodOpenApiResponseObject
  >
}
