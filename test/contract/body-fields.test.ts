import { fullDescription, legacyDescription } from '@whereabouts/contracts/description/openapi'
import { fieldCodes } from '@whereabouts/contracts/errors'
import type { OperationId } from '@whereabouts/contracts/routes'
import { describe, expect } from 'vitest'
import { bodyRules, withoutRule } from './support/body-rules.ts'
import { BURST } from './support/buckets.ts'
import { entry, required } from './support/entries.ts'
import { test } from './support/fixtures.ts'
import { parameterRules } from './support/parameter-rules.ts'
import type { BodyRules } from './support/field-rules.ts'
import type { Organization } from './support/organization.ts'
import { callerOf, callOf, isForSessions, rows, type Row } from './support/rows.ts'

const bodies = rows
  .filter(({ body }) => body)
  .map((row) => ({ row, operationId: row.operationId, rules: bodyRules[row.operationId] }))
/** Those that have rules at all. */
const ruled = bodies.flatMap(({ rules, ...one }) => (rules ? [{ ...one, rules }] : []))

type Schema = {
  $ref?: string
  allOf?: Schema[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  items?: Schema
}
type Operation = { operationId: string; requestBody: { content: Record<string, { schema: Schema }> } }

const descriptions = { current: fullDescription(), legacy: legacyDescription() }

/** The fields of a body as its description names them: `mapping.reads`, and those of list items as `tags[1].value`. */
function describedFields({ vocabulary, operationId }: Row): string[] {
  const { paths = {}, components } = descriptions[vocabulary ?? 'current']
  const schemas = (components?.schemas ?? {}) as Record<string, Schema>
  function fieldsOf({ $ref, allOf = [], anyOf = [], properties = {} }: Schema, prefix = ''): string[] {
    if ($ref) return fieldsOf(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, prefix)
    const own = Object.entries(properties).flatMap(([name, schema]) =>
      [prefix + name].concat(
        fieldsOf(schema, `${prefix}${name}.`),
        fieldsOf(schema.items ?? {}, `${prefix}${name}[1].`),
      ),
    )
    return [...own, ...[...allOf, ...anyOf].flatMap((schema) => fieldsOf(schema, prefix))]
  }
  const operations = Object.values(paths).flatMap((path) => Object.values(path) as Operation[])
  const found = operations.find((operation) => operation.operationId === operationId)
  return fieldsOf(Object.values(found?.requestBody.content ?? {})[0]?.schema ?? {})
}

const excusedFields = (operationId: string) =>
  Object.keys(withoutRule)
    .filter((name) => name.startsWith(`${operationId}.`))
    .map((name) => name.slice(operationId.length + 1))

const shapeOf = (body: unknown) => (body as { shape: object }).shape

/** The valid body to which a wrong value of `field` is added. */
const goodFor = (field: string, { good, without = {} }: BodyRules) =>
  Object.fromEntries(Object.entries(good).filter(([name]) => without[field]?.includes(name) !== true))

const organizations = new Map<OperationId, Promise<Organization>>()

/**
 * A caller, and its organization. People have one bucket for all requests, so each row for people has a person of its own. So has a row
 * with more requests than the bucket of a key holds.
 */
async function callerFor(
  row: Row,
  requests: number,
  key: { org: Organization; token: string },
  newOrg: () => Promise<Organization>,
) {
  if (!isForSessions(row.access) && requests <= BURST) return key
  const org = organizations.get(row.operationId) ?? newOrg()
  organizations.set(row.operationId, org)
  return { org: await org, token: (await org).admin }
}

describe('D3 every field of every body', () => {
  test.for(bodies)(
    '$operationId: support/body-rules.ts has a rule for each field',
    ({ row, operationId, rules }) => {
      const hint = `add the contract's rule for each field of ${operationId} to support/body-rules.ts`
      const excused = excusedFields(operationId)
      if (excused.length === 0) expect(rules, hint).toBeDefined()
      const named = Object.entries(rules?.fields ?? {}).flatMap(([field, rule]) =>
        [field].concat(rule(field).map((one) => one.entry.field)),
      )
      named.push(...excused)
      // The description omits fields that are known but always refused.
      const described = describedFields(row)
      const known = [...new Set([...described, ...Object.keys(shapeOf(row.body))])]
      expect(known.length, hint).toBeGreaterThan(0)
      expect([...new Set(named)].filter((name) => !/\]$|\.colour$/.test(name)).toSorted(), hint).toEqual(
        known.toSorted(),
      )
    },
  )

  const cases = ruled.flatMap(({ row, operationId, rules }) =>
    Object.entries(rules.fields).map(([field, rule]) => ({
      row,
      operationId,
      field,
      good: goodFor(field, rules),
      refused: rule(field),
    })),
  )
  test.for(cases)(
    'D3 $operationId refuses wrong values of $field with code, message and params',
    async ({ row, operationId, field, good, refused }, { api, newOrg, org: own, token: key }) => {
      const { org, token } = await callerFor(row, refused.length, { org: own, token: key }, newOrg)
      expect(refused.length).toBeGreaterThanOrEqual(4)
      for (const { value, entry: expected } of refused) {
        const body = { ...good, [field]: value }
        const reply = await api.call(operationId, { ...callOf(operationId, org), token, body })
        expect([reply.status, reply.body.error.fields], JSON.stringify(body).slice(0, 200)).toEqual([
          400,
          [expected],
        ])
      }
    },
  )

  test.for(ruled)(
    'D3 $operationId names every missing field, and before them every unknown one, sorted',
    async ({ row, operationId, rules }, { api, org, token: key }) => {
      const token = callerOf(row, { admin: org.admin, token: key })
      const call = { ...callOf(operationId, org), token }
      const names = ['NAME', 'colour', 'constructor', 'identifier', 'surrogate_id'].filter(
        (name) => !Object.hasOwn(rules.fields, name),
      )
      const unknown = names.map((name) => entry(name, 'unknown_field', `unknown field "${name}"`))
      const missing = rules.required.map(required)
      const body = Object.fromEntries(names.map((name) => [name, 1]))
      const reply = await api.call(operationId, { ...call, body })
      expect(reply.body.error.fields).toEqual([...unknown, ...missing])
      const good = await api.call(operationId, { ...call, body: { ...rules.good, ...body } })
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
