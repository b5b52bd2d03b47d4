import { sendsOn } from '@whereabouts/contracts/route'
import { routes } from '@whereabouts/contracts/routes'
import { describe, expect } from 'vitest'
import { entry } from './support/entries.ts'
import { test } from './support/fixtures.ts'
import { neededParameters, parameterRules } from './support/parameter-rules.ts'
import type { Organization } from './support/organization.ts'
import { callerOf, callOf, parametersOf, rows, unknownParams, type Row } from './support/rows.ts'

/** A message of a device is taken with any query (D16.3), and a provider adds parameters to the way back. */
const own = rows.filter((row) => row.message === undefined && !sendsOn(row))
const named = (row: Row) => ({ row, operationId: row.operationId })

/** What a request needs besides the values under test: ids, a caller, and a body, which nobody reads. */
const callTo = (row: Row, org: Organization, token: string) => ({
  ...callOf(row.operationId, org),
  token: callerOf(row, { admin: org.admin, token }),
  ...((row.body ?? row.upload) && { body: {} }),
})

/** `query` with valid values for the other parameters that the row needs. */
function withNeeded({ operationId }: Row, name: string, query: string): string {
  const others = Object.entries(neededParameters[operationId] ?? {}).filter(([other]) => other !== name)
  return [query, ...others.map(([other, value]) => `${other}=${value}`)].join('&')
}

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
    async ({ row, operationId, name, refused }, { api, org, token }) => {
      expect(refused.length).toBeGreaterThanOrEqual(4)
      for (const { query: sent, entry: expected } of refused) {
        const query = withNeeded(row, name, sent)
        const reply = await api.call(operationId, { ...callTo(row, org, token), query })
        expect([reply.status, reply.body.error.fields], query.slice(0, 200)).toEqual([400, [expected]])
      }
    },
  )

  test.for(own.map(named))(
    'D7.3 $operationId: an unknown parameter is named, with any value',
    async ({ row, operationId }, { api, org, token }) => {
      const query = withNeeded(row, '', 'colour=red&Limit=1&%F0%9F%93%A6=')
      const unknown = ['Limit', 'colour', '📦'].map((name) =>
        entry(name, 'unknown_field', `unknown parameter "${name}"`),
      )
      expect((await api.call(operationId, { ...callTo(row, org, token), query })).body.error.fields).toEqual(
        unknown,
      )
    },
  )
})

/** Parameters of paths that are no plain id, with the test of each. */
const OTHER_IDS = {
  identifier: 'a key: identifiers.test.ts',
  key_id: 'an id or a UUID: api-keys.test.ts',
  reader_key: 'a text: messages-of-key.int.test.ts and scans.int.test.ts of tracking',
  session_id: 'a UUID, see below',
  delivery_id: 'a UUID, see below',
  hash: 'of an image, see below',
  file_name: 'a text: any name without a file is 404',
  place: 'a location or `all`: floor-plans.int.test.ts of catalog',
  org_id: 'the own organization, or 403 (D9.6): cross-tenant.test.ts',
}

describe('D3 D7.7 every path parameter', () => {
  const paths = own.flatMap((row) =>
    Object.keys(unknownParams(row))
      .filter((name) => !(name in OTHER_IDS))
      .map((name) => Object.assign(named(row), { name })),
  )
  test.for(paths)(
    'D7.7 $name of $operationId: an invalid id is refused with code, message and params',
    async ({ row, operationId, name }, { api, org, token }) => {
      const ask = async (id: string) => {
        const call = callTo(row, org, token)
        const reply = await api.call(operationId, { ...call, params: { ...call.params, [name]: id } })
        return reply.body.error.fields
      }
      for (const id of ['x', '1.5', '+5', ' 5', '0x5', '1e3', '9223372036854775808', '-9223372036854775809'])
        expect(await ask(id), id).toEqual([entry(name, 'invalid_value', `${name} must be an integer`)])
      for (const id of ['0', '-0', '-1', '-9223372036854775808'])
        expect(await ask(id), id).toEqual([entry(name, 'too_small', `${name} must be ≥ 1`, { min: 1 })])
    },
  )

  test.for([
    {
      operationId: 'endSession',
      name: 'session_id',
      wrong: ['x', '5', '00000000-0000-4000-8000-00000000000'],
    },
    { operationId: 'getEndpointDelivery', name: 'delivery_id', wrong: ['x', '5', '0'.repeat(32)] },
    { operationId: 'getFloorImage', name: 'hash', wrong: ['x', '5', '0'.repeat(63), 'G'.repeat(64)] },
  ] as const)(
    'D3 $name of $operationId: another form is refused',
    async ({ operationId, name, wrong }, { api, org }) => {
      for (const value of wrong) {
        const reply = await api.call(operationId, {
          params: { ...unknownParams(routes[operationId]), [name]: value },
          token: org.admin,
        })
        expect([reply.status, reply.body.error.fields], value).toEqual([
          400,
          [entry(name, 'invalid_value', `${name} is not valid`)],
        ])
      }
    },
  )
})
