import { describe, expect } from 'vitest'
import { legacyBodyRules } from './support/body-rules-legacy.ts'
import { entry, required } from './support/entries.ts'
import { test } from './support/fixtures.ts'
import { rows, unknownParams } from './support/rows.ts'

const bodies = rows.flatMap((row) => {
  const rules = Object.entries(legacyBodyRules).find(([operationId]) => operationId === row.operationId)?.[1]
  return rules ? [{ row, operationId: row.operationId, rules }] : []
})

describe('D3 every legacy body', () => {
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
