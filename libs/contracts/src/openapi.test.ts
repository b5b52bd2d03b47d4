import { expect, test } from 'vitest'
import { fullDescription, publicDescription } from './openapi.ts'
import type { Route } from './route.ts'
import { routes } from './routes.ts'

const described = publicDescription()
const text = JSON.stringify(described)
const operations = Object.values(described.paths ?? {}).flatMap((item) => Object.entries(item as object))

test('every public row is described under its operation id, and no route of the console is', () => {
  const rows = Object.entries<Route>(routes)
  const expected = rows.filter(([, row]) => row.described).map(([operationId]) => operationId)
  const found: unknown[] = operations.map(([, operation]) => operation.operationId)
  expect(new Set(found)).toEqual(new Set(expected))
  expect(found.length).toBe(expected.length)
  expect(Object.keys(fullDescription().paths ?? {})).toContain('/api/v1/webhooks')
  expect(text).not.toContain('/api/v1/webhooks')
})

test('HEAD is not declared, although every GET accepts it', () => {
  expect(operations.map(([method]) => method)).not.toContain('head')
})

test('the dialect is 3.0.3: nullable instead of null types, and open enums by extension', () => {
  expect(described.openapi).toBe('3.0.3')
  expect(text).not.toContain('"type":"null"')
  expect(text).not.toMatch(/"type":\[/)
  expect(described.components?.schemas?.['Asset']).toMatchObject({
    properties: {
      description: { type: 'string', nullable: true },
      type: { type: 'string', 'x-extensible-enum': ['asset', 'person', 'inventory'] },
    },
  })
  expect(text).not.toContain(String(Number.MIN_SAFE_INTEGER))
})

test('replies may gain fields, requests may not', () => {
  expect(described.components?.schemas?.['Asset']).not.toHaveProperty('additionalProperties')
  expect(described.components?.schemas?.['AssetCreate']).toHaveProperty('additionalProperties', false)
})

test('a row documents what the pipeline can answer for it, with the envelope', () => {
  const create = described.paths?.['/api/v1/assets']?.post
  expect(Object.keys(create?.responses ?? {})).toEqual([
    '201',
    '400',
    '401',
    '403',
    '409',
    '413',
    '415',
    '500',
    '503',
  ])
  const list = described.paths?.['/api/v1/assets']?.get
  expect(Object.keys(list?.responses ?? {})).toEqual(['200', '400', '401', '403', '429', '500', '503'])
  expect(list?.security).toEqual([{ APIKey: [] }, { BearerAuth: [] }])
  expect(described.paths?.['/api/v1/oauth/token']?.post?.security).toEqual([])
  expect(described.components?.responses?.['Error429']).toMatchObject({
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  })
})

test('a single-valued parameter is a value, a repeatable one a list', () => {
  const parameters = described.paths?.['/api/v1/assets']?.get?.parameters ?? []
  const schemaOf = (name: string) => parameters.find((p) => 'name' in p && p.name === name)
  expect(schemaOf('limit')).toMatchObject({
    schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  })
  expect(schemaOf('is_active')).toMatchObject({ schema: { type: 'boolean' } })
  expect(schemaOf('external_key')).toMatchObject({ schema: { type: 'array', items: { type: 'string' } } })
})
