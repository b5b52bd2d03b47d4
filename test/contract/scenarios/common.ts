import { errorTypes } from '@whereabouts/contracts/errors'
import type { Scope } from '@whereabouts/contracts/route'
import { isForSessions, parametersOf, unknownParams, type Row } from '../support/rows.ts'
import type { Make, Scenario } from './scenario.ts'

/** Ways to reach a status that work for every row. A scenario's own entry comes first. */
export function commonScenario(row: Row, own: Scenario): Scenario {
  const params = unknownParams(row)
  const body = row.body ? '{}' : undefined
  return {
    400: badRequest(row),
    ...(row.access !== 'none' && { 401: () => ({ params, body, token: 'no.such.token' }) }),
    403: forbidden(row),
    404: notFound(row, own),
    ...(row.body && {
      413: () => ({ params, body: ' '.repeat(1024 * 1024 + 1) }),
      415: () => ({ params, body: '{}', headers: { 'content-type': 'text/plain' } }),
    }),
    429: row.counted
      ? ({ token }) => ({ params, body, token })
      : isForSessions(row.access)
        ? 'the bucket of a user holds 1 200 requests: limits.test.ts empties one for all rows'
        : 'needs a thousand waiting requests: tenant-database.int.test.ts sends them',
    410: 'the legacy vocabulary has no end date yet; tests of the gateway cover the time after it',
    500: 'a request that causes it is a bug; tests with random requests look for one',
    503: 'needs a service that is down: the fault suites stop them',
  }
}

function badRequest(row: Row): Make {
  const params = unknownParams(row)
  const [last] = Object.keys(params).slice(-1)
  if (last !== undefined)
    return ({ org }) => ({ params: { ...params, org_id: org.id, [last]: 'x_y' }, body: row.body && '{}' })
  if (parametersOf(row).includes('limit')) return () => ({ query: { limit: 0 } })
  return row.body ? () => ({ body: '[' }) : () => ({ query: { colour: 'red' } })
}

/** A key with every scope but that of this row. If any caller may call the row, the web filter is the only 403. */
function forbidden(row: Row): Make {
  const params = unknownParams(row)
  const call = { params, body: row.body ? '{}' : undefined }
  if (['none', 'key', 'any'].includes(row.access))
    return () => ({ ...call, headers: { 'user-agent': 'axios/1' } })
  const wrong: Scope = row.access === 'scans:write' ? 'assets:read' : 'scans:write'
  return async ({ org, token }) => ({
    ...call,
    token: isForSessions(row.access) ? token : (await org.key({ scopes: [wrong] })).token,
  })
}

/** The successful request with an unknown id in the path. */
function notFound(row: Row, own: Scenario): Make {
  const { success, path } = row
  const [last] = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).slice(-1)
  return async (given) => {
    const make = own[success.status]
    const call = typeof make === 'function' ? await make(given) : {}
    return {
      ...call,
      params: { ...call.params, ...(last !== undefined && { [last]: unknownParams(row)[last] ?? 0 }) },
    }
  }
}

/** The statuses that the row itself names. The description must have at least these. */
export const namedStatuses = ({ success, errors }: Row): number[] => [
  success.status,
  ...errors.map((type) => errorTypes[type].status),
]
