import { scopes, type Route, type Scope } from '@whereabouts/contracts/route'
import { routes, type OperationId } from '@whereabouts/contracts/routes'
import { describe, expect } from 'vitest'
import { test } from './support/fixtures.ts'
import { callOf } from './support/rows.ts'

const table = Object.entries<Route>(routes) as [OperationId, Route][]
/** Without the one for which a scope is not enough: vendor.test.ts asks it with the key of a reader. */
const guarded = table.filter(([id, { access }]) => access !== 'none' && id !== 'listMessagesOfKey')

/**
 * The scope that opens an operation, from the table of the contract and not from our own: a scope, `any` key, or
 * `none`.
 */
function scopeOf({ method, path, described }: Route): Scope | 'any' | 'none' {
  if (!described) return 'none' // the console's (D10)
  const isRead = method === 'GET'
  if (path === '/orgs/me' || path === '/limits') return 'any'
  if (path.startsWith('/orgs/{org_id}/api-keys')) return 'keys:admin'
  if (path.startsWith('/webhook')) return 'webhooks:admin'
  if (path === '/orgs/{org_id}/audit') return 'audit:read'
  if (path === '/inventory/save' || path.startsWith('/scans/')) return 'scans:write'
  if (path === '/locations/current' || path.startsWith('/reports/') || path.endsWith('/history'))
    return 'scans:read'
  if (path === '/movements' || path === '/visits' || path.startsWith('/exports')) return 'scans:read'
  if (path.startsWith('/rules') || path.startsWith('/alerts'))
    return isRead || path === '/rules/preview' ? 'rules:read' : 'rules:write'
  if (path === '/events') return 'events:read'
  if (path.startsWith('/assets')) return isRead ? 'assets:read' : 'assets:write'
  if (path.startsWith('/locations')) return isRead ? 'locations:read' : 'locations:write'
  throw new Error(`${method} ${path} is not in the scope table: add its scope here`)
}

const opens = (scope: Scope, wanted: Scope | 'any' | 'none') =>
  wanted === 'any' || scope === wanted || (scope === 'tracking:read' && wanted === 'scans:read')

describe('D9.5 each scope opens exactly what the table says', () => {
  test.for(scopes)('%s', async (scope, { api, org }) => {
    const { token } = await org.key({ scopes: [scope] })
    for (const [operationId, row] of guarded) {
      const wanted = scopeOf(row)
      const { status, body } = await api.call(operationId, { ...callOf(operationId, org), token })
      if (opens(scope, wanted)) expect([401, 403], operationId).not.toContain(status)
      else {
        expect(status, operationId).toBe(403)
        const detail =
          wanted === 'none' ? 'A signed-in user is required' : `Missing required scope: ${wanted}`
        expect(body.error, operationId).toMatchObject({ type: 'forbidden', detail })
      }
    }
  })

  test('together they open every described operation', async ({ api, org }) => {
    const { token } = await org.key()
    for (const [operationId, row] of guarded) {
      const { status } = await api.call(operationId, { ...callOf(operationId, org), token })
      if (row.described) expect([401, 403], operationId).not.toContain(status)
      else expect(status, operationId).toBe(403)
    }
  })
})

describe('D9.5 minting', () => {
  test.for(scopes)('%s can be minted alone', async (scope, { api, org }) => {
    const { token } = await org.key({ scopes: [scope] })
    expect((await api.call('getCurrentOrg', { token })).body.data.scopes).toEqual([scope])
  })

  test.for(['scans:admin', '*', 'ASSETS:READ', ' assets:read', 'assets', ''])(
    'the scope %j is refused with the list of scopes',
    async (scope, { api, newOrg }) => {
      const org = await newOrg()
      const options = { params: { org_id: org.id }, token: org.admin }
      const body = { name: 'a key', scopes: ['assets:read', scope] }
      const reply = await api.call('createApiKey', { ...options, body })
      expect(reply.status).toBe(400)
      expect(reply.body.error.fields).toEqual([
        {
          field: 'scopes[1]',
          code: 'invalid_value',
          message: `scopes[1] must be one of: ${scopes.join(', ')}`,
          params: { allowed_values: [...scopes] },
        },
      ])
      expect((await api.call('listApiKeys', options)).body.total_count).toBe(0)
    },
  )

  test('a repeated scope counts once', async ({ api, org }) => {
    const { token } = await org.key({ scopes: ['scans:read', 'scans:read'] })
    expect((await api.call('getCurrentOrg', { token })).body.data.scopes).toEqual(['scans:read'])
  })
})
