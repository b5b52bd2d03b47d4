import { describe, expect, test } from 'vitest'
import { NO_EXAMPLE } from '../description/openapi-examples.ts'
import { legacyDescription, publicDescription } from '../description/openapi.ts'
import type { Route } from '../route.ts'
import { routes } from '../routes.ts'

type Json = Record<string, unknown>

const described = legacyDescription()
const operations = Object.values(described.paths ?? {}).flatMap(
  (item) => Object.values(item as object) as Json[],
)
const legacyRows = Object.entries<Route>(routes).filter(([, row]) => row.vocabulary === 'legacy')

test('D1.1 the current description does not mention the legacy vocabulary', () => {
  const text = JSON.stringify(publicDescription())
  expect(text).not.toMatch(/legacy|surrogate_id|\{identifier\}|"put"/i)
  const named = operations.map((operation) => operation['operationId'])
  expect(new Set(named)).toEqual(new Set(legacyRows.map(([operationId]) => operationId)))
})

/** The tables of the legacy description: field → type, with a question mark if it may be absent (D17.1). */
const views: Record<string, Record<string, string>> = {
  LegacyAsset: {
    surrogate_id: 'integer',
    identifier: 'string',
    name: 'string',
    description: 'string?',
    type: 'string',
    current_location: 'string?',
    is_active: 'boolean',
    metadata: 'object',
    identifiers: 'array',
    valid_from: 'date-time',
    valid_to: 'date-time?',
    created_at: 'date-time',
    updated_at: 'date-time',
  },
  LegacyLocation: {
    surrogate_id: 'integer',
    identifier: 'string',
    name: 'string',
    description: 'string?',
    parent: 'string?',
    path: 'string',
    depth: 'integer',
    is_active: 'boolean',
    identifiers: 'array',
    valid_from: 'date-time',
    valid_to: 'date-time?',
    created_at: 'date-time',
    updated_at: 'date-time',
  },
  LegacyIdentifier: { id: 'integer', type: 'string', value: 'string', is_active: 'boolean' },
}

test.for(Object.entries(views))('D1.2 %s is the view of the legacy description', ([name, fields]) => {
  const schema = described.components?.schemas?.[name] as {
    properties: Record<string, Json>
    required: string[]
  }
  const found = Object.entries(schema.properties).map(([field, property]) => {
    const part = String(property['$ref']).replace('#/components/schemas/', '')
    const { type, format } = (described.components?.schemas?.[part] ?? property) as Json
    return [
      field,
      `${String(format === 'date-time' ? format : type)}${schema.required.includes(field) ? '' : '?'}`,
    ]
  })
  expect(Object.fromEntries(found)).toEqual(fields)
  expect(JSON.stringify(schema)).not.toContain('nullable')
})

test('D6.1 the type of an identifier is rfid if it is left out', () => {
  expect(described.components?.schemas?.['LegacyIdentifierCreate']).toMatchObject({
    required: ['value'],
    properties: { type: { enum: ['rfid', 'ble', 'barcode'], default: 'rfid' } },
  })
})

const exampleOf = (node: Json | undefined) =>
  (node?.['content'] as Record<string, Json> | undefined)?.['application/json']?.['example']

describe.for(legacyRows)('%s', ([operationId, row]) => {
  const operation = operations.find((one) => one['operationId'] === operationId) as Json

  test('each body has an example that its schema accepts', () => {
    const { requestBody, responses } = operation as { requestBody?: Json; responses: Record<string, Json> }
    const examples = [
      [row.body, requestBody],
      [row.success.schema, responses[String(row.success.status)]],
    ] as const
    for (const [schema, node] of examples) expect(schema?.safeParse(exampleOf(node)).error).toBeUndefined()
    expect(JSON.stringify(operation)).not.toContain(NO_EXAMPLE)
  })

  test('is deprecated and answers 410 after its removal', () => {
    expect(operation).toMatchObject({ deprecated: true, responses: { 410: {} } })
  })
})
