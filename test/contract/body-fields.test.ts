import { publicDescription } from '@whereabouts/contracts/description/openapi'
import { fieldCodes } from '@whereabouts/contracts/errors'
import { describe, expect } from 'vitest'
import { bodyRules } from './support/body-rules.ts'
import { entry, required } from './support/entries.ts'
import { test } from './support/fixtures.ts'
import { parameterRules } from './support/parameter-rules.ts'
import { callerOf, rows, unknownParams } from './support/rows.ts'

const bodies = rows
  .filter(
    ({ upstream, vocabulary, described, body }) =>
      upstream === 'catalog' && vocabulary === undefined && described && body,
  )
  .map((row) => ({ row, operationId: row.operationId, rules: bodyRules[row.operationId] }))

type Schema = { $ref?: string; properties?: Record<string, Schema>; items?: Schema; required?: string[] }
type Operation = { operationId: string; requestBody: { content: Record<string, { schema: Schema }> } }

const description = publicDescription()
const schemas = (description.components?.schemas ?? {}) as Record<string, Schema>

/** The fields of a body as the description names them, those of list items as `tags[1].value`. */
function fieldsOf({ $ref, properties = {} }: Schema, prefix = ''): string[] {
  if ($ref) return fieldsOf(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, prefix)
  return Object.entries(properties).flatMap(([name, { items = {} }]) =>
    [prefix + name].concat(fieldsOf(items, `${prefix}${name}[1].`)),
  )
}

const shapeOf = (body: unknown) => (body as { shape: object }).shape

function bodyOf(operationId: string): Schema {
  const operations = Object.values(description.paths ?? {}).flatMap(
    (path) => Object.values(path) as Operation[],
  )
  const found = operations.find((operation) => operation.operationId === operationId)
  return Object.values(found?.requestBody.content ?? {})[0]?.schema ?? {}
}

describe('D3 every field of every body', () => {
  test.for(bodies)(
    '$operationId: support/body-rules.ts has a rule for each field',
    ({ row, operationId, rules }) => {
      const hint = `add the contract's rule for each field of ${operationId} to support/body-rules.ts`
      expect(rules, hint).toBeDefined()
      const named = Object.entries(rules?.fields ?? {}).flatMap(([field, rule]) =>
        [field].concat(rule(field).map((one) => one.entry.field)),
      )
      // The description omits fields that are known but always refused.
      const described = row.described ? fieldsOf(bodyOf(operationId)) : []
      const known = [...new Set([...described, ...Object.keys(shapeOf(row.body))])]
      expect(known.length, hint).toBeGreaterThan(0)
      expect([...new Set(named)].filter((name) => !/\]$|\.colour$/.test(name)).toSorted(), hint).toEqual(
        known.toSorted(),
      )
    },
  )

  const cases = bodies.flatMap(
    ({ row, operationId, rules }) =>
    Object.entries(rules?.fields ?? {}).map(([field, rule]) => ({ row, operationId, field, good: rules?.good, refused: rule(field) })), // oxfmt-ignore
  )
  test.for(cases)(
    'D3 $operationId refuses wrong values of $field with code, message and params',
    async ({ row, operationId, field, good, refused }, { api, org, token: key }) => {
      const token = callerOf(row, { admin: org.admin, token: key })
      expect(refused.length).toBeGreaterThanOrEqual(4)
      for (const { value, entry: expected } of refused) {
        const body = { ...good, [field]: value }
        const reply = await api.call(operationId, { params: unknownParams(row), token, body })
        expect([reply.status, reply.body.error.fields], JSON.stringify(body).slice(0, 200)).toEqual([
          400,
          [expected],
        ])
      }
    },
  )

  test.for(bodies)(
    'D3 $operationId names every missing field, and before them every unknown one, sorted',
    async ({ row, operationId, rules }, { api, org, token: key }) => {
      const token = callerOf(row, { admin: org.admin, token: key })
      const params = unknownParams(row)
      const names = ['NAME', 'colour', 'constructor', 'identifier', 'surrogate_id']
      const unknown = names.map((name) => entry(name, 'unknown_field', `unknown field "${name}"`))
      const missing = (rules?.required ?? []).map(required)
      const body = Object.fromEntries(names.map((name) => [name, 1]))
      const reply = await api.call(operationId, { params, token, body })
      expect(reply.body.error.fields).toEqual([...unknown, ...missing])
      const good = await api.call(operationId, { params, token, body: { ...rules?.good, ...body } })
      expect(good.body.error.fields).toEqual(unknown)
    },
  )

  test('D3 every code about shapes occurs on some field or parameter; the other codes need stored rows', () => {
    const ofFields = bodies.flatMap(({ rules }) =>
      Object.entries(rules?.fields ?? {}).flatMap(([field, rule]) => rule(field)),
    )
    const ofParameters = Object.values(parameterRules).flatMap((rules) =>
      Object.entries(rules).flatMap(([name, rule]) => rule(name)),
    )
    const seen = new Set<string>([...ofFields, ...ofParameters].map((one) => one.entry.code))
    const stored = ['fk_not_found', 'ambiguous_fields', 'invalid_context']
    expect(fieldCodes.filter((code) => !seen.has(code))).toEqual(expect.arrayContaining(stored))
    expect([...seen, ...stored].toSorted()).toEqual([...fieldCodes].toSorted())
  })
})
