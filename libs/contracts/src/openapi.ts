import { z } from 'zod'
import {
  createDocument,
  type CreateDocumentOptions,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi'
import { errorResponsesOf, requestIdHeader } from './openapi-errors.ts'
import { JSON_MEDIA_TYPE, scopes, type Access, type Route } from './route.ts'
import { API_PREFIX, routes } from './routes.ts'

/** An OpenAPI 3.0.3 document, ready for JSON. */
export type Description = ReturnType<typeof createDocument>

const INTRODUCTION = [
  'Assets, locations and where assets are. Every organization sees its own data only.',
  'Send `Authorization: Bearer <access token>` and a `User-Agent` that names your product.',
  'Values marked `x-extensible-enum` may grow: tolerate those you do not know.',
].join('\n\n')

/** The public description, served at `/api/openapi.json`: without the console's own routes, and without HEAD. */
export const publicDescription = (): Description => describe((row) => row.described)

/** The public description and the console's routes. For the generator of the typed client alone. */
export const fullDescription = (): Description => describe(() => true)

function describe(included: (row: Route) => boolean): Description {
  const rows = (Object.entries(routes) as [string, Route][]).filter(([, row]) => included(row))
  const paths: ZodOpenApiPathsObject = {}
  for (const [operationId, row] of rows) {
    const path = `${API_PREFIX}${row.path}`
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: operation(operationId, row) }
  }
  return createDocument(
    {
      openapi: '3.0.3',
      info: { title: 'Whereabouts API', version: '1.0.0', description: INTRODUCTION },
      servers: [{ url: '/' }],
      tags: [...new Set(rows.map(([, row]) => tagOf(row)))].map((name) => ({ name })),
      paths,
      components: { securitySchemes },
    },
    { override },
  )
}

const securitySchemes = {
  APIKey: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: '`Bearer <jwt>`: an access token of an API key, from `POST /api/v1/oauth/token`.',
  },
  BearerAuth: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The session token of a signed-in user.',
  },
} as const

function operation(operationId: string, row: Route): ZodOpenApiOperationObject {
  return {
    operationId,
    summary: row.summary,
    tags: [tagOf(row)],
    description: `${whoMayCall(row.access)}${row.counted ? '' : ' Not counted against the rate limit.'}`,
    security: security(row.access),
    ...(isScope(row.access) && { 'x-required-scope': row.access }),
    requestParams: {
      ...(row.params instanceof z.ZodObject && { path: row.params }),
      ...(row.query instanceof z.ZodObject && { query: row.query }),
    },
    ...(row.body && { requestBody: { required: true, content: bodyContent(row, row.body) } }),
    responses: { [String(row.success.status)]: success(row), ...errorResponsesOf(row) },
  }
}

const tagOf = (row: Route): string => row.path.split('/')[1] ?? ''

const bodyContent = (row: Route, schema: z.ZodType) =>
  Object.fromEntries((row.mediaTypes ?? [JSON_MEDIA_TYPE]).map((type) => [type, { schema }]))

const rateLimitHeaders = {
  'X-RateLimit-Limit': integerHeader('Requests per minute.'),
  'X-RateLimit-Remaining': integerHeader('Requests left, never above the limit.'),
  'X-RateLimit-Reset': integerHeader('Unix second when Remaining next equals Limit.'),
}

function integerHeader(description: string) {
  return z.string().meta({ override: { type: 'integer' }, description })
}

function success(row: Route) {
  const headers = z.object({
    'X-Request-ID': requestIdHeader,
    ...(row.success.status === 201 && {
      Location: z
        .string()
        .optional()
        .meta({ description: 'Path of what was created, where it can be read.' }),
    }),
    ...(row.counted && row.method === 'GET' && rateLimitHeaders),
  })
  const { schema } = row.success
  if (!schema) return { description: 'Done', headers }
  return { description: 'Success', headers, content: { [JSON_MEDIA_TYPE]: { schema } } }
}

const isScope = (access: Access) => scopes.some((scope) => scope === access)

function security(access: Access): Record<string, string[]>[] {
  if (access === 'none') return []
  if (access === 'key') return [{ APIKey: [] }]
  if (access === 'session' || access === 'admin') return [{ BearerAuth: [] }]
  return [{ APIKey: [] }, { BearerAuth: [] }]
}

function whoMayCall(access: Access): string {
  switch (access) {
    case 'none':
      return 'No token needed.'
    case 'key':
      return 'Any API key; no scope needed. Session tokens are refused.'
    case 'session':
      return 'Any signed-in user.'
    case 'admin':
      return 'A signed-in administrator of the organization.'
    case 'session-or-keys-admin':
      return 'A signed-in administrator of the organization, or an API key with the scope `keys:admin`.'
    case 'scans:read':
      return 'An API key with the scope `scans:read` (or its other name `tracking:read`), or a session.'
    default:
      return `An API key with the scope \`${access}\`, or a session.`
  }
}

/** Zod states bounds and patterns that are true of JavaScript and say nothing to a reader of the description. */
const override: NonNullable<CreateDocumentOptions['override']> = ({ jsonSchema, io }) => {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER && jsonSchema.format !== 'int64')
    delete jsonSchema.maximum
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'uuid') delete jsonSchema.pattern
  // Replies may gain fields; requests may not.
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
}
