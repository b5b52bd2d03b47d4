import { describe, expect } from 'vitest'
import { entry } from './support/entries.ts'
import { test } from './support/fixtures.ts'
import { parameterRules } from './support/parameter-rules.ts'
import { parametersOf, rows, unknownParams, type Row } from './support/rows.ts'

const own = rows.filter(
  ({ upstream, vocabulary, described }) => upstream === 'catalog' && vocabulary === undefined && described,
)
const named = (row: Row) => ({ row, operationId: row.operationId })

describe('D3 D7 every query parameter', () => {
  test.for(own.map(named))(
    '$operationId: support/parameter-rules.ts has a rule for each parameter',
    ({ row, operationId }) => {
      const rules = Object.keys(parameterRules[operationId] ?? {})
      const hint = `add the contract's rule for each parameter of ${operationId} to support/parameter-rules.ts`
      expect(rules.toSorted(), hint).toEqual(parametersOf(row).toSorted())
    },
  )

  const cases = own.flatMap((row) =>
    Object.entries(parameterRules[row.operationId] ?? {}).map(([name, rule]) =>
      Object.assign(named(row), { name, refused: rule(name) }),
    ),
  )
  test.for(cases)(
    'D3 D7 $operationId refuses wrong values of $name with code, message and params',
    async ({ row, operationId, refused }, { api, token }) => {
      expect(refused.length).toBeGreaterThanOrEqual(4)
      for (const { query, entry: expected } of refused) {
        const reply = await api.call(operationId, { params: unknownParams(row), token, query })
        expect([reply.status, reply.body.error.fields], query.slice(0, 200)).toEqual([400, [expected]])
      }
    },
  )

  test.for(own.map(named))(
    'D7.3 $operationId: an unknown parameter is named, with any value',
    async ({ row, operationId }, { api, token }) => {
      const call = {
        params: unknownParams(row),
        token,
        query: 'colour=red&Limit=1&%F0%9F%93%A6=',
        ...(row.body && { body: {} }),
      }
      const unknown = ['Limit', 'colour', '📦'].map((name) =>
        entry(name, 'unknown_field', `unknown parameter "${name}"`),
      )
      expect((await api.call(operationId, call)).body.error.fields).toEqual(unknown)
    },
  )
})

describe('D3 D7.7 every path parameter', () => {
  const paths = own.flatMap((row) =>
    Object.keys(unknownParams(row)).map((name) => Object.assign(named(row), { name })),
  )
  test.for(paths)(
    'D7.7 $name of $operationId: an invalid id is refused with code, message and params',
    async ({ row, operationId, name }, { api, token }) => {
      const ask = async (id: string) => {
        const params = { ...unknownParams(row), [name]: id }
        return (await api.call(operationId, { params, token, ...(row.body && { body: {} }) })).body.error
          .fields
      }
      for (const id of ['x', '1.5', '+5', ' 5', '0x5', '1e3', '9223372036854775808', '-9223372036854775809'])
        expect(await ask(id), id).toEqual([entry(name, 'invalid_value', `${name} must be an integer`)])
      for (const id of ['0', '-0', '-1', '-9223372036854775808'])
        expect(await ask(id), id).toEqual([entry(name, 'too_small', `${name} must be ≥ 1`, { min: 1 })])
    },
  )
})
