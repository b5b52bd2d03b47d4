import { sendsOn } from '@whereabouts/contracts/route'
import type { OperationId } from '@whereabouts/contracts/routes'
import { describe, expect } from 'vitest'
import type { Api } from './support/api.ts'
import { test } from './support/fixtures.ts'
import type { Organization } from './support/organization.ts'
import {
  callerOf,
  listRows as allLists,
  parametersOf,
  rows,
  unknownParams,
  type Row,
} from './support/rows.ts'

/** `parameters.test.ts` has those that need a parameter. */
const listRows = allLists.filter(({ operationId }) => operationId !== 'reportVisits')

const codes = (fields: { field: string; code: string }[] = []) =>
  fields.map(({ field, code }) => `${field} ${code}`)

/** Unknown ids for the path, but the id of the own organization. */
const paramsOf = (row: Row, org: Organization) => ({ ...unknownParams(row), org_id: org.id })

/** Of the right media type; nobody reads it. */
const bodyOf = (row: Row) => ((row.body ?? row.upload) ? { body: {} } : {})

/** The entries with which a row refuses a query. */
async function refusals(api: Api, row: Row, org: Organization, token: string, query: string) {
  const call = {
    params: paramsOf(row, org),
    token: callerOf(row, { admin: org.admin, token }),
    query,
    ...bodyOf(row),
  }
  const reply = await api.call(row.operationId, call)
  expect(reply.status).toBe(400)
  return codes(reply.body.error.fields)
}

describe('D7.2 include_deleted and booleans', () => {
  const booleans = listRows.flatMap((row) =>
    parametersOf(row)
      .filter((name) => name === 'include_deleted' || name === 'is_active')
      .map((name) => ({ row, name, operationId: row.operationId })),
  )
  test.for(booleans)(
    'D7.2 $name of $operationId is exactly true or false',
    async ({ row, name }, { api, org, token }) => {
      for (const value of ['TRUE', '1', 'yes', '', 'true%20'])
        expect(await refusals(api, row, org, token, `${name}=${value}`)).toEqual([`${name} invalid_value`])
    },
  )
})

describe('D7.3 unknown and misplaced parameters', () => {
  test.for(listRows)(
    'D7.3 $operationId reports every problem of its query together',
    async (row, { api, org, token }) => {
      const query = 'zoom=1&limit=0&offset=-1&colour=red'
      const expected = ['colour unknown_field', 'zoom unknown_field', 'limit too_small', 'offset too_small']
      expect(await refusals(api, row, org, token, query)).toEqual(expected)
    },
  )

  test('D7.3 the message names the parameter', async ({ api, org }) => {
    const { error } = (await api.call('listAssets', { token: org.admin, query: 'colour=red' })).body
    expect(error.fields?.[0]?.message).toBe('unknown parameter "colour"')
  })

  test.for(rows.filter((row) => parametersOf(row).length === 0 && !row.message && !sendsOn(row)))(
    // D16.3
    'D7.3 $operationId is not a list, so parameters of lists are invalid_context',
    async (row, { api, org, token }) => {
      const query = 'include_deleted=true&limit=5&colour=red'
      expect((await refusals(api, row, org, token, query)).toSorted()).toEqual([
        'colour unknown_field',
        'include_deleted invalid_context',
        'limit invalid_context',
      ])
    },
  )

  const pairs: [OperationId, string, string][] = [
    ['listLocations', 'parent_id', 'parent_external_key'],
    ['listAssetLocations', 'asset_id', 'asset_external_key'],
    ['listAssetLocations', 'location_id', 'location_external_key'],
  ]
  test.for(pairs)(
    'D5.6 D8.2 %s: %s and %s together are ambiguous, reported with other problems',
    async ([operationId, id, key], { api, token }) => {
      const query = `${id}=5&${key}=A&limit=0`
      const { error } = (await api.call(operationId, { token, query })).body
      const expected = ['limit too_small', `${id} ambiguous_fields`, `${key} ambiguous_fields`]
      expect(codes(error.fields).toSorted()).toEqual(expected.toSorted())
    },
  )
})

describe('D7.4 limit and offset', () => {
  const bad: [query: string, entry: string, message: string][] = [
    ['limit=x', 'limit invalid_value', 'limit must be an integer'],
    ['limit=', 'limit invalid_value', 'limit must be an integer'],
    ['limit=1.5', 'limit invalid_value', 'limit must be an integer'],
    ['limit=1e2', 'limit invalid_value', 'limit must be an integer'],
    ['limit=0', 'limit too_small', 'limit must be ≥ 1'],
    ['limit=-1', 'limit too_small', 'limit must be ≥ 1'],
    ['limit=201', 'limit too_large', 'limit must be ≤ 200'],
    ['limit=99999999999999999999', 'limit too_large', 'limit must be ≤ 200'],
    ['offset=x', 'offset invalid_value', 'offset must be an integer'],
    ['offset=-1', 'offset too_small', 'offset must be ≥ 0'],
  ]
  test.for(listRows)(
    'D7.4 $operationId reads limit and offset as integers within bounds',
    async (row, { api, org, token }) => {
      for (const [query, entry, message] of bad) {
        const call = { params: paramsOf(row, org), token: callerOf(row, { admin: org.admin, token }), query }
        const { error } = (await api.call(row.operationId, call)).body
        expect([query, codes(error.fields), error.detail]).toEqual([query, [entry], message])
      }
    },
  )
})

// Lists below a resource would need that resource. Their paging is the same code.
const plainLists = listRows.filter((row) => !/\{(?!org_id)/.test(row.path))

test.for(plainLists)(
  'D7.6 $operationId: any offset past the end is an empty page with the true total',
  async (row, { api, org, token }) => {
    const call = { params: paramsOf(row, org), token: callerOf(row, { admin: org.admin, token }) }
    const all = (await api.call(row.operationId, call)).body as unknown as { total_count: number }
    const past = (await api.call(row.operationId, { ...call, query: 'offset=9007199254740991' })).body
    expect(past).toMatchObject({ data: [], total_count: all.total_count })
    const beyond = (await api.call(row.operationId, { ...call, query: 'offset=9007199254740992' })).body
    expect(codes(beyond.error.fields), 'D17.2').toEqual(['offset too_large'])
  },
)

describe('D7.5 and D4.3 filters', () => {
  const idFilters = listRows.flatMap((row) =>
    parametersOf(row)
      .filter((name) => name.endsWith('_id'))
      .map((name) => ({ row, name, operationId: row.operationId })),
  )
  test.for(idFilters)(
    'D7.5 $name of $operationId takes positive integers; an unresolved one finds nothing',
    async ({ row, name }, { api, org, token }) => {
      for (const value of ['x', '0', '-5', '1.5', '', '9223372036854775808'])
        expect(await refusals(api, row, org, token, `${name}=${value}`)).toEqual([`${name} invalid_value`])
      for (const value of ['12345', '9007199254740991', '9007199254740993']) {
        const caller = callerOf(row, { admin: org.admin, token })
        const params = row.path.startsWith('/orgs/') ? { org_id: org.id } : {}
        const { body } = await api.call(row.operationId, { token: caller, params, query: `${name}=${value}` })
        if (row.operationId === 'listLocationBranch') expect(body.error.type).toBe('not_found')
        else expect(body).toEqual({ data: [], limit: 50, offset: 0, total_count: 0 })
      }
    },
  )

  const keyFilters = listRows.flatMap((row) =>
    parametersOf(row)
      .filter((name) => /(?:external_key|identifier)$/.test(name))
      .map((name) => ({ row, name, operationId: row.operationId })),
  )
  test.for(keyFilters)(
    'D4.3 $name of $operationId: a value that is not a key is invalid_value',
    async ({ row, name }, { api, org, token }) => {
      for (const value of ['a_b', 'a%20', '%C3%A4', '', 'x'.repeat(256)])
        expect(await refusals(api, row, org, token, `${name}=${value}`)).toEqual([`${name} invalid_value`])
    },
  )
})

describe('D7.6 repeated parameters, and pages past the end', () => {
  const single = new Set(['limit', 'offset', 'sort', 'q', 'from', 'to', 'is_active', 'include_deleted'])
  const value: Record<string, string> = {
    q: 'a',
    from: '2001-01-01T00:00:00Z',
    to: '2999-01-01T00:00:00Z',
    is_active: 'true',
    include_deleted: 'true',
  }
  const cases = listRows.flatMap((row) =>
    parametersOf(row)
      .filter((name) => single.has(name))
      .map((name) => ({ row, name, operationId: row.operationId })),
  )
  test.for(cases)(
    'D7.6 $name of $operationId twice is invalid_value',
    async ({ row, name }, { api, org, token }) => {
      const one = `${name}=${value[name] ?? '1'}`
      expect(await refusals(api, row, org, token, `${one}&${one}`)).toEqual([`${name} invalid_value`])
    },
  )
})

describe('D7.7 ids in paths', () => {
  const named = rows.flatMap((row) =>
    Object.keys(unknownParams(row))
      .filter(
        (name) =>
          !['identifier', 'session_id', 'delivery_id', 'hash', 'reader_key', 'format', 'file_name'].includes(
            name,
          ),
      ) // not numbers, see their own tests
      .map((name) => ({ row, name, operationId: row.operationId })),
  )
  test.for(named)('D7.7 $name of $operationId', async ({ row, name }, { api, org, token }) => {
    const ask = (id: string) => {
      const params = { ...paramsOf(row, org), [name]: id }
      const caller = callerOf(row, { admin: org.admin, token })
      return api.call(row.operationId, { params, token: caller, ...bodyOf(row) })
    }
    for (const id of ['x', '1.5', '9223372036854775808', '-9223372036854775809', '5 ', '0x5'])
      expect([id, codes((await ask(id)).body.error.fields)]).toEqual([id, [`${name} invalid_value`]])
    for (const id of ['0', '-1', '-9223372036854775808'])
      expect([id, codes((await ask(id)).body.error.fields)]).toEqual([id, [`${name} too_small`]])
    if (row.body ?? row.upload) return // its own problems come first
    // Another organization's id in /orgs/{org_id} is forbidden, known or not (D9.6). Settings of positions: D18.7.
    const { status } = await ask('9007199254740993')
    expect(status).toBe(name === 'org_id' && row.upstream === 'keys' ? 403 : 404)
  })
})

describe('sort', () => {
  const sorted = listRows.filter((row) => parametersOf(row).includes('sort'))
  test.for(sorted)(
    'sort of $operationId by an unknown field is invalid_value with the allowed ones',
    async (row, { api, org, token }) => {
      for (const sort of ['colour', '-colour', 'id', 'name;drop']) {
        const caller = callerOf(row, { admin: org.admin, token })
        const call = { params: paramsOf(row, org), token: caller, query: { sort } }
        const { error } = (await api.call(row.operationId, call)).body
        expect(codes(error.fields)).toEqual(['sort invalid_value'])
        expect(error.fields?.[0]?.params?.['allowed_values']).toEqual(expect.any(Array))
      }
    },
  )
})
