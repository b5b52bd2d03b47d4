import { describe, expect, test } from 'vitest'
import { webhookEvents } from '../messages/webhook-events.ts'
import type { EventType } from '../resources/webhooks/events.ts'
import { events } from './openapi-events.ts'
import { NO_EXAMPLE } from './openapi-examples.ts'
import { fullDescription, legacyDescription, publicDescription } from './openapi.ts'
import { CSV_CONTENT_TYPE, type Route } from '../route.ts'
import { routePath, routes } from '../routes.ts'
import { Name, patternOf } from '../rules/text.ts'

const described = publicDescription()
const text = JSON.stringify(described)
const operations = Object.values(described.paths ?? {}).flatMap((item) => Object.entries(item as object))

test('all public rows are described with their operation id, and no route of the console is', () => {
  const rows = Object.entries<Route>(routes)
  const expected = rows
    .filter(([, row]) => row.described && row.vocabulary === undefined)
    .map(([operationId]) => operationId)
  const found: unknown[] = operations.map(([, operation]) => operation.operationId)
  expect(new Set(found)).toEqual(new Set(expected))
  expect(found.length).toBe(expected.length)
  expect(Object.keys(fullDescription().paths ?? {})).toContain('/api/v1/imports')
  expect(text).not.toContain('/api/v1/imports')
})

test('HEAD is not described, although every GET accepts it', () => {
  expect(operations.map(([method]) => method)).not.toContain('head')
})

test('the dialect is 3.0.3: nullable instead of null types, and an extension for open enums', () => {
  expect(described.openapi).toBe('3.0.3')
  expect(text).not.toContain('"type":"null"')
  expect(text).not.toMatch(/"type":\[/)
  expect(described.components?.schemas?.['Asset']).toMatchObject({
    properties: {
      description: { type: 'string', nullable: true },
      type: { type: 'string', 'x-extensible-enum': true, example: 'asset' },
    },
  })
  expect(text).not.toContain(String(Number.MIN_SAFE_INTEGER))
})

test('replies may gain fields, requests may not', () => {
  expect(described.components?.schemas?.['Asset']).not.toHaveProperty('additionalProperties')
  expect(described.components?.schemas?.['AssetCreate']).toHaveProperty('additionalProperties', false)
})

test('a row documents all errors of the pipeline, with the envelope', () => {
  const statusesOf = (operation?: { responses?: object }) => Object.keys(operation?.responses ?? {}).join(' ')
  const create = described.paths?.['/api/v1/assets']?.post
  expect(statusesOf(create)).toBe('201 400 401 403 409 413 415 429 500 503 default')
  const list = described.paths?.['/api/v1/assets']?.get
  expect(statusesOf(list)).toBe('200 400 401 403 429 500 503 default')
  expect(list?.security).toEqual([{ OAuth2: ['assets:read'] }, { APIKey: [] }, { BearerAuth: [] }])
  expect(described.paths?.['/api/v1/oauth/token']?.post?.security).toEqual([])
  expect(described.components?.responses?.['Error429']).toMatchObject({
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  })
})

test('a single-valued parameter is a value, and a repeatable one is a list', () => {
  const parameters = described.paths?.['/api/v1/assets']?.get?.parameters ?? []
  const schemaOf = (name: string) => parameters.find((p) => 'name' in p && p.name === name)
  expect(schemaOf('limit')).toMatchObject({
    schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  })
  expect(schemaOf('is_active')).toMatchObject({ schema: { type: 'boolean' } })
  expect(schemaOf('external_key')).toMatchObject({ schema: { type: 'array', items: { type: 'string' } } })
})

type Json = Record<string, unknown>
const resolved = (node: Json, document: object = described): Json =>
  typeof node['$ref'] === 'string'
    ? (node['$ref']
        .slice(2)
        .split('/')
        .reduce<unknown>((at, key) => (at as Json)[key], document) as Json)
    : node
/** All objects in it, at any depth. */
const nodesOf = (node: unknown): Json[] =>
  typeof node === 'object' && node !== null ? [node as Json, ...Object.values(node).flatMap(nodesOf)] : []
type Media = { schema?: Json; example?: unknown; examples?: Json }
const contentOf = (node: unknown, document: object = described) =>
  (resolved(node as Json, document)['content'] ?? {}) as Record<string, Media>
const media = (node: unknown) => Object.values(contentOf(node))

const publicRows = Object.entries<Route>(routes).filter(([, row]) => row.described && !row.vocabulary)

describe.for(publicRows)('%s', ([operationId, row]) => {
  const operation = operations
    .map(([, found]) => found)
    .find((found) => found.operationId === operationId) as Json
  const responses = operation['responses'] as Record<string, Json>

  test('each body has an example that its schema accepts', () => {
    for (const { example } of row.body ? media(operation['requestBody']) : [])
      expect(row.body?.safeParse(example).error).toBeUndefined()
    const { [CSV_CONTENT_TYPE]: csv, ...others } = contentOf(responses[String(row.success.status)])
    for (const { example } of Object.values(others))
      expect(row.success.schema?.safeParse(example).error).toBeUndefined()
    expect(csv?.example).toBe(row.success.csv && `${row.success.csv.join(',')}\r\n`)
    for (const [status, response] of Object.entries(responses).filter(([code]) => code >= '400'))
      for (const { example, examples } of media(response))
        expect(example ?? Object.keys(examples ?? {})[0], status).toBeDefined()
    expect(JSON.stringify(operation), 'give a field of the schema an example').not.toContain(NO_EXAMPLE)
  })

  test('says who may call it and whether it is counted', () => {
    expect(operation['description']).toMatch(/\*\*Access:\*\* .+\n\n\*\*Rate limit:\*\* (?:not )?counted\.$/s)
    const scope = row.access.includes(':') ? `\`${row.access}\`` : ''
    expect(operation['description']).toContain(scope)
  })

  test('each response has X-Request-ID and the headers of its status', () => {
    for (const [status, response] of Object.entries(responses)) {
      const headers = Object.keys(resolved(response)['headers'] as Json)
      expect(headers).toContain('X-Request-ID')
      expect(headers).not.toContain('Deprecation')
      expect(headers.includes('WWW-Authenticate')).toBe(status === '401')
      expect(headers.includes('Retry-After')).toBe(status === '429' || status === '503')
      expect(headers.includes('Location')).toBe(status === '201')
      const carriesBucket = row.counted && row.method === 'GET' && status === '200'
      expect(headers).toEqual(expect.arrayContaining(carriesBucket ? ['X-RateLimit-Reset'] : []))
    }
  })
})

describe.for([
  ['current', described],
  ['legacy', legacyDescription()],
] as const)('the %s vocabulary', ([, document]) => {
  const all = JSON.stringify(document)
  const found = Object.values(document.paths ?? {}).flatMap((item) => Object.values(item as object)) as Json[]
  const schemas = Object.entries(document.components?.schemas ?? {}) as [string, Json][]

  test('each field and each parameter has a description', () => {
    const without = schemas.flatMap(([name, { properties }]) =>
      Object.entries((properties ?? {}) as Record<string, Json>)
        .filter(([, field]) => field['$ref'] === undefined && field['description'] === undefined)
        .map(([field]) => `${name}.${field}`),
    )
    const parameters = found.flatMap((operation) => (operation['parameters'] ?? []) as Json[])
    for (const parameter of parameters)
      if (parameter['$ref'] === undefined && parameter['description'] === undefined)
        without.push(`parameter ${String(parameter['name'])}`)
    expect(without).toEqual([])
  })

  test('the JSON of each response is a named component, and each component is used', () => {
    const answers = found.flatMap(({ responses }) =>
      Object.values(responses as Json).flatMap((response) => Object.entries(contentOf(response, document))),
    )
    const anonymous = answers.filter(
      ([type, { schema }]) => type === 'application/json' && schema?.['$ref'] === undefined,
    )
    expect(anonymous).toEqual([])
    for (const [kind, components] of Object.entries(document.components ?? {}))
      for (const name of kind === 'securitySchemes' ? [] : Object.keys(components as Json))
        expect(all).toContain(`"#/components/${kind}/${name}"`)
  })

  test('an object with fields inside of a schema is a named component', () => {
    const fields = schemas.flatMap(([, { properties }]) =>
      Object.entries((properties ?? {}) as Record<string, Json>),
    )
    const anonymous = fields.filter(
      ([, { type, allOf, additionalProperties }]) =>
        type === 'object' && allOf === undefined && additionalProperties === undefined,
    )
    expect(anonymous).toEqual([])
  })

  test('a reference has no sibling, and null only one level above it: generators lose others', () => {
    const keysOf = (node: Json) => Object.keys(node).filter((key) => key !== 'description')
    const isReference = (node: unknown) => typeof node === 'object' && node !== null && '$ref' in node
    const nodes = nodesOf(document)
    expect(nodes.filter((node) => isReference(node) && Object.keys(node).length > 1)).toEqual([])
    for (const node of nodes.filter(({ allOf }) => Array.isArray(allOf))) {
      const [part, ...others] = node['allOf'] as Json[]
      expect(others).toEqual([])
      expect(keysOf(node).toSorted()).toEqual(isReference(part) ? ['allOf'] : ['allOf', 'nullable', 'type'])
    }
  })

  test('each group has a name and a text that people wrote, and a guide', () => {
    for (const { name, description, externalDocs } of document.tags ?? []) {
      expect(name).toMatch(/^[A-Z]/)
      expect(description).toMatch(/^[A-Z].+\. Guide: \[.+\]\(\/docs\/[\w-]+\)\.$/)
      expect(externalDocs).toBeDefined()
    }
  })

  test('each schema has a description', () => {
    expect(schemas.filter(([, { description }]) => description === undefined).map(([name]) => name)).toEqual(
      [],
    )
  })

  test('a body has one media type, because generators make a method or a union of several', () => {
    const several = found.filter(
      ({ requestBody }) => Object.keys(contentOf(requestBody ?? {}, document)).length > 1,
    )
    expect(several).toEqual([])
  })
})

test('an envelope is named after its resource', () => {
  const schemaOf = (path: string, method: 'get' | 'post', status: string): unknown =>
    contentOf(described.paths?.[path]?.[method]?.responses?.[status as '200'])['application/json']?.schema
  const named = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  expect(schemaOf('/api/v1/assets', 'get', '200')).toEqual(named('AssetPage'))
  expect(schemaOf('/api/v1/assets', 'post', '201')).toEqual(named('AssetAnswer'))
  expect(schemaOf('/api/v1/locations/{location_id}/rename', 'post', '200')).toEqual(named('LocationRenamed'))
})

test('the 403 of the web filter is prose, and 415 says what PATCH takes', () => {
  const { Error403, Error415, RefusedUserAgent } = described.components?.responses ?? {}
  expect(Object.keys(contentOf(Error403))).toEqual(['application/json'])
  expect(Error403).toHaveProperty('description', expect.stringContaining('`text/plain`'))
  expect(contentOf(RefusedUserAgent)).toEqual({})
  expect(Error415).toHaveProperty('description', expect.stringContaining('application/merge-patch+json'))
})

test('a field that is always refused is not described', () => {
  for (const name of ['AssetCreate', 'AssetPatch'])
    expect(described.components?.schemas?.[name]).not.toHaveProperty('properties.location_id')
})

test('D17.4 the operations have the names of the contract, and every one documents any other error', () => {
  const ids = operations.map(([, { operationId }]) => operationId)
  const tags = ['addAssetTag', 'removeAssetTag', 'addLocationTag', 'removeLocationTag']
  expect(ids).toEqual(expect.arrayContaining(['createToken', 'listAssetHistory', ...tags]))
  for (const [, { responses }] of operations)
    expect(contentOf((responses as Json)['default'])['application/json']?.schema).toEqual({
      $ref: '#/components/schemas/Error',
    })
})

test('D17.4 x-required-scopes and the scheme OAuth2 name all scopes that are enough', () => {
  expect(described.paths?.['/api/v1/reports/asset-locations']?.get).toMatchObject({
    'x-required-scopes': ['scans:read', 'tracking:read'],
    security: [{ OAuth2: ['scans:read'] }, { OAuth2: ['tracking:read'] }, { APIKey: [] }, { BearerAuth: [] }],
  })
})

test('the response of a write shows what its request sent', () => {
  const update = described.paths?.['/api/v1/assets/{asset_id}']?.patch
  expect(media(update?.requestBody)[0]?.example).toMatchObject({ name: 'Forklift 8' })
  expect(media(update?.responses?.['200'])[0]?.example).toMatchObject({ data: { name: 'Forklift 8' } })
})

test('the pattern of a name agrees with its check', () => {
  const pattern = new RegExp(patternOf({ trimmed: true }))
  expect(described.components?.schemas?.['AssetCreate']).toHaveProperty(
    'properties.name.pattern',
    pattern.source,
  )
  for (const name of ['a', 'Forklift 7', 'ä 🚜', ' a', 'a ', 'a\u0000', 'a\tb', '\u007f'])
    expect(pattern.test(name), name).toBe(Name.safeParse(name).success)
})

test('asset.moved is described with its schema', () => {
  expect(described).toHaveProperty(['x-webhooks', 'asset.moved', 'post', 'requestBody'])
  for (const [type, { post }] of Object.entries(events))
    for (const { example } of media(post.requestBody))
      expect(webhookEvents[type as EventType].body.safeParse(example).error, type).toBeUndefined()
  expect(described.components?.schemas?.['AssetMovedEvent']).toHaveProperty('properties.delivery_id')
})

test('a nullable enum lists null, because strict validators would refuse it otherwise', () => {
  const wrong = nodesOf(described).filter(
    (node) => node['nullable'] === true && Array.isArray(node['enum']) && !node['enum'].includes(null),
  )
  expect(wrong).toEqual([])
})

test('D1.2 legacy rows are described separately, below their own base URL, as deprecated', () => {
  const row: Route = { ...(routes.listAssets as Route), vocabulary: 'legacy' }
  const table = { listAssets: routes.listAssets, listLegacyAssets: row }
  const legacy = legacyDescription(table)
  expect(legacy.servers).toMatchObject([{ url: '/legacy' }])
  expect(legacy.paths?.['/api/v1/assets']?.get).toMatchObject({
    operationId: 'listLegacyAssets',
    deprecated: true,
    responses: { '200': { headers: { Deprecation: {}, Sunset: {} } }, '410': {} },
  })
  expect(JSON.stringify(legacy.components?.responses)).toContain('"instance":"/legacy/api/v1/assets"')
  expect(publicDescription(table).paths?.['/api/v1/assets']?.get?.operationId).toBe('listAssets')
  expect(routePath(row)).toBe('/legacy/api/v1/assets')
})
