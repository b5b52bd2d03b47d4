import type { OperationId } from '@whereabouts/contracts/routes'
import { describe, expect } from 'vitest'
import { entry, required } from './support/entries.ts'
import {
  choice,
  flag,
  freeForm,
  instant,
  listOf,
  naturalKey,
  text,
  type FieldRule,
} from './support/field-rules.ts'
import { test } from './support/fixtures.ts'
import { rows, unknownParams } from './support/rows.ts'

type Body = { good: object; required: string[]; fields: Record<string, FieldRule> }

const identifier = { type: choice('rfid', 'ble', 'barcode'), value: text(255, { lines: true }) }
const shared = {
  identifier: naturalKey(),
  name: text(255, { trimmed: true }),
  description: text(1024, { lines: true, nullable: true }),
  is_active: flag,
  identifiers: listOf(
    identifier,
    { type: 'rfid', value: 'x' },
    { max: 200, nullable: true, required: ['value'] },
  ),
  valid_from: instant({ window: true }),
  valid_to: instant({ window: true, nullable: true }),
}
const asset = {
  ...shared,
  type: choice('asset', 'person', 'inventory'),
  current_location: naturalKey(),
  metadata: freeForm,
}
const location = { ...shared, parent_identifier: naturalKey({ nullable: true }) }
const attaching: Body = { good: { value: 'x' }, required: ['value'], fields: identifier }

/** The legacy description's rule for every field of every body. */
const bodyRules: Partial<Record<OperationId, Body>> = {
  createLegacyAsset: { good: { name: 'Thing' }, required: ['name'], fields: asset },
  updateLegacyAsset: { good: {}, required: [], fields: asset },
  createLegacyLocation: {
    good: { identifier: 'A', name: 'Thing' },
    required: ['identifier', 'name'],
    fields: location,
  },
  updateLegacyLocation: { good: {}, required: [], fields: location },
  attachLegacyAssetTag: attaching,
  attachLegacyLocationTag: attaching,
}

const bodies = rows.flatMap((row) => {
  const rules = bodyRules[row.operationId]
  return rules ? [{ row, operationId: row.operationId, rules }] : []
})

describe('D3 every field of every legacy body', () => {
  test.for(bodies)('$operationId has the fields of the legacy description', ({ row, rules }) => {
    const { shape } = row.body as unknown as { shape: object }
    expect(Object.keys(shape).toSorted()).toEqual(Object.keys(rules.fields).toSorted())
  })

  const cases = bodies.flatMap(({ row, operationId, rules: { good, fields } }) =>
    Object.entries(fields).map(([field, rule]) => ({ row, operationId, field, good, refused: rule(field) })),
  )
  test.for(cases)(
    'D3 $operationId refuses wrong values of $field with code, message and params',
    async ({ row, operationId, field, good, refused }, { api, token }) => {
      for (const { value, entry: expected } of refused) {
        const body = { ...good, [field]: value }
        const reply = await api.call(operationId, { params: unknownParams(row), token, body })
        const where = JSON.stringify(body).slice(0, 200)
        expect([reply.status, reply.body.error.fields], where).toEqual([400, [expected]])
      }
    },
  )

  test.for(bodies)(
    'D3.2 $operationId names missing and unknown fields; names of the current vocabulary are unknown',
    async ({ row, operationId, rules }, { api, token }) => {
      const names = ['colour', 'external_key', 'id', 'surrogate_id', 'tags', 'updated_at']
      const unknown = names.map((name) => entry(name, 'unknown_field', `unknown field "${name}"`))
      const body = Object.fromEntries(names.map((name) => [name, 1]))
      const reply = await api.call(operationId, { params: unknownParams(row), token, body })
      expect(reply.body.error.fields).toEqual([...unknown, ...rules.required.map(required)])
    },
  )
})
