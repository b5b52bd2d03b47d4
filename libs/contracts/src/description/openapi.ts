import { z } from 'zod'
import {
  createDocument,
  type CreateDocumentOptions,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi'
import { errorResponses } from './openapi-errors.ts'
import { withExamples } from './openapi-examples.ts'
import { requestHeaders, successHeaders, type Vocabulary } from './openapi-headers.ts'
import { withSamples } from './openapi-samples.ts'
import { forGenerators } from './openapi-components.ts'
import { events, eventSchemas } from './openapi-events.ts'
import { describeOperation, INTRODUCTION, LEGACY_INTRODUCTION, SCOPES, tagOf } from './openapi-text.ts'
import { LICENSE, RELEASE } from '../release.ts'
import {
  CSV_CONTENT_TYPE,
  JSON_MEDIA_TYPE,
  admitsSessions,
  leastRole,
  scopes,
  type Access,
  type Route,
  type RouteTable,
  type Scope,
} from '../route.ts'
import { LEGACY_BASE, API_PREFIX, routePath, routes } from '../routes.ts'

/** An OpenAPI 3.0.3 document, ready for JSON. */
export type Description = ReturnType<typeof createDocument>

/**
 * The public description, served at `/api/openapi.json`, without routes of the console and without HEAD. `publicUrl`: the
 * address of the installation, without a slash at the end. Without it, addresses are relative to the description's own.
 */
export const publicDescription = (table: RouteTable = routes, publicUrl = ''): Description =>
  withSamples(
    describe(
      { publicUrl },
      rowsOf(table, (row) => row.described && row.vocabulary === undefined),
    ),
    { packages: true },
  )

/** The legacy description, served at `/legacy/api/openapi.json`. Its paths are below its own base URL. */
export const legacyDescription = (table: RouteTable = routes, publicUrl = ''): Description =>
  withSamples(
    describe(
      { vocabulary: 'legacy', publicUrl },
      rowsOf(table, (row) => row.described && row.vocabulary === 'legacy'),
    ),
    { packages: false },
  )

/** The public description with the routes of the console. Only for the generator of the typed client. */
export const fullDescription = (): Description =>
  describe(
    { publicUrl: '' },
    rowsOf(routes, (row) => row.vocabulary === undefined),
  )

type Rows = [operationId: string, row: Route][]

const rowsOf = (table: RouteTable, included: (row: Route) => boolean): Rows =>
  Object.entries(table).filter(([, row]) => included(row))

type Place = { vocabulary?: Vocabulary; publicUrl: string }

function describe({ vocabulary, publicUrl }: Place, rows: Rows): Description {
  const errorsOf = errorResponses(vocabulary)
  const paths: ZodOpenApiPathsObject = {}
  for (const [operationId, row] of rows) {
    const path = `${API_PREFIX}${row.path}`
    const described = { ...operation(operationId, row), responses: { ...success(row), ...errorsOf(row) } }
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: described }
  }
  const isLegacy = vocabulary === 'legacy'
  const document = createDocument(
    {
      openapi: '3.0.3',
      info: {
        title: isLegacy ? 'Whereabouts API, legacy vocabulary' : 'Whereabouts API',
        version: RELEASE,
        contact: { name: 'The operator of this host' },
        ...(LICENSE !== undefined && { license: { name: LICENSE } }),
        description: isLegacy ? LEGACY_INTRODUCTION : INTRODUCTION,
      },
      servers: [{ url: `${publicUrl}${isLegacy ? LEGACY_BASE : ''}` || '/', description: SERVER }],
      tags: [...new Map(rows.map(([, row]) => [tagOf(row).name, tagOf(row)])).values()],
      paths,
      components: {
        securitySchemes: {
          ...securitySchemes(
            `${publicUrl}${routePath(isLegacy ? routes.createLegacyToken : routes.createToken)}`,
          ),
          ...(!isLegacy && { BasicAuth: BASIC_AUTH }),
        },
        ...(!isLegacy && { schemas: eventSchemas }),
      },
      ...(!isLegacy && { 'x-webhooks': events }),
    },
    { override: forReaders },
  )
  return withExamples(forGenerators(document))
}

const SERVER = 'The host that serves this description.'

const securitySchemes = (tokenUrl: string) =>
  ({
    OAuth2: {
      type: 'oauth2',
      description:
        'Client credentials of an API key: the tools that know this scheme request the token themselves.',
      flows: {
        clientCredentials: {
          tokenUrl,
          refreshUrl: tokenUrl,
          scopes: SCOPES,
        },
      },
    },
    APIKey: {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description:
        'An access token of an API key, sent as `Bearer <jwt>`. Request it from `POST /api/v1/oauth/token`.',
    },
    BearerAuth: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'The session token of a signed-in user.',
    },
  }) as const

/** Of messages of readers, which the legacy vocabulary lacks. */
const BASIC_AUTH = {
  type: 'http',
  scheme: 'basic',
  description: 'The id and the secret of an API key, for devices that cannot request a token.',
} as const

function operation(operationId: string, row: Route): Omit<ZodOpenApiOperationObject, 'responses'> {
  return {
    operationId,
    summary: row.summary,
    tags: [tagOf(row).name],
    description: describeOperation(row),
    security: [...security(row.access), ...(row.forDevices ? [{ BasicAuth: [] }] : [])],
    ...(row.vocabulary === 'legacy' && { deprecated: true }),
    ...(isScope(row.access) && {
      'x-required-scope': row.access,
      'x-required-scopes': scopesOf(row.access),
    }),
    ...(admitsSessions(row) && { 'x-required-role': leastRole(row) }),
    requestParams: {
      ...(row.params instanceof z.ZodObject && { path: row.params }),
      ...(row.query instanceof z.ZodObject && { query: row.query }),
      header: requestHeaders(row),
    },
    ...(row.body && {
      requestBody: { required: true, content: bodyContent(row, row.describedBody ?? row.body) },
    }),
    ...(row.upload && { requestBody: { required: true, content: files(row.upload.mediaTypes) } }),
    ...(row.message && { requestBody: { required: true, content: MESSAGE } }),
  }
}

/**
 * Only the first media type: generators make one method or one union per media type, although the body is the same. The
 * description names the others.
 */
const bodyContent = (row: Route, schema: z.ZodType) => ({
  [row.mediaTypes?.[0] ?? JSON_MEDIA_TYPE]: { schema },
})

/** Any media type; generators need one. The example is canonical. */
const MESSAGE = {
  [JSON_MEDIA_TYPE]: {
    schema: { description: 'The message as the device makes it.' },
    example: { reads: [{ tag: { type: 'rfid', value: 'E28011606000020A1B2C3D4E' }, antenna: 1 }] },
  },
}

const files = (mediaTypes: readonly string[]) =>
  Object.fromEntries(mediaTypes.map((type) => [type, { schema: { type: 'string' as const } }]))

function success(row: Route): ZodOpenApiOperationObject['responses'] {
  const { status, schema, download, csv, checked } = row.success
  const headers = successHeaders(row)
  const json = schema && { [JSON_MEDIA_TYPE]: { schema }, ...(csv && { [CSV_CONTENT_TYPE]: csvOf(csv) }) }
  const content = download === undefined ? json : files([download].flat())
  const body = { description: 'Success', headers, content }
  const main = { [String(status)]: content ? body : { description: 'Success, without a body', headers } }
  const unchanged = row.conditional && row.method === 'GET' && { 304: { ...NOT_MODIFIED, headers } }
  return { ...(checked && checkedReply(checked, headers)), ...main, ...unchanged }
}

const NOT_MODIFIED = {
  description: 'Nothing has changed since the response with the `ETag` that you sent. Without a body.',
}

const checkedReply = (schema: z.ZodType, headers: ReturnType<typeof successHeaders>) => ({
  '200': {
    description: 'What would become of it, with `check=true`',
    headers,
    content: { [JSON_MEDIA_TYPE]: { schema } },
  },
})

const csvOf = (columns: readonly string[]) => ({
  schema: {
    type: 'string' as const,
    description:
      'Returned if `Accept` prefers `text/csv`: a header line with the columns ' +
      `${columns.map((name) => `\`${name}\``).join(', ')}, then one line per row of the page. Null is an empty cell. ` +
      "A leading `'` marks text that a spreadsheet would run as a formula.",
  },
  example: `${columns.join(',')}\r\n`,
})

/** Any one of them is enough. */
function scopesOf(access: Access): Scope[] {
  if (access === 'scans:read') return ['scans:read', 'tracking:read']
  if (access === 'events:read') return ['events:read', 'scans:read', 'tracking:read']
  return scopes.filter((scope) => scope === access)
}

const isScope = (access: Access) => scopes.some((scope) => scope === access)

function security(access: Access): Record<string, string[]>[] {
  if (access === 'none') return []
  if (access === 'key') return [{ OAuth2: [] }, { APIKey: [] }]
  if (access === 'any') return [{ OAuth2: [] }, { APIKey: [] }, { BearerAuth: [] }]
  if (access === 'session') return [{ BearerAuth: [] }]
  const ways = scopesOf(access).map((scope) => ({ OAuth2: [scope] }))
  return [...ways, { APIKey: [] }, { BearerAuth: [] }]
}

/** Removes bounds and patterns of zod that come from JavaScript and do not help readers of the description. */
export const forReaders: NonNullable<CreateDocumentOptions['override']> = ({ jsonSchema, io }) => {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER && jsonSchema.format !== 'int64')
    delete jsonSchema.maximum
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'uuid') delete jsonSchema.pattern
  // Replies may gain fields; requests may not.
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
}
