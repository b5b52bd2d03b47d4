import type { Route } from '@whereabouts/contracts/route'
import { routes, type OperationId } from '@whereabouts/contracts/routes'
import { expect } from 'vitest'
import type { Api, CallOptions } from './api.ts'
import { attempts, type Params } from './attempts.ts'
import type { World } from './world.ts'

/** The parameters of a row with the organization's own ids: the first attempt with both sides the same. */
const ownParams = ({ path }: Route, world: World): Params => attempts[path]?.(world, world)[0]?.params ?? {}

const HOUR_MS = 3_600_000
const NOW = Date.now() // read once: a playback is of a day at most, and a millisecond may pass
/** The same for every snapshot, and around all scans. */
export const WINDOW = {
  from: new Date(NOW - 12 * HOUR_MS).toISOString(),
  to: new Date(NOW + 12 * HOUR_MS).toISOString(),
}

const OF_A_WINDOW: ReadonlySet<OperationId> = new Set([
  'summarizeMovements',
  'playMovements',
  'listLocationUses',
])

/** Query parameters that an operation needs. */
function ownQuery(operationId: OperationId, { location }: World): NonNullable<CallOptions['query']> {
  if (operationId === 'reportVisits') return { group_by: 'location', ...WINDOW }
  if (operationId === 'listOccupancy') return { location_id: location.id }
  return OF_A_WINDOW.has(operationId) ? WINDOW : {}
}

/** A sign-on needs a provider, a link needs its signature, what moved in the last five minutes changes by itself, webhooks that are off have no delivery, no session has the key of a reader, rows of the audit follow their change, and each export adds one. */
const OTHERS: ReadonlySet<OperationId> = new Set([
  'startSignOn',
  'finishSignOn',
  'exportOrg',
  'listAudit',
  'listRecentMovements',
  'getEndpointDelivery',
  'listMessagesOfKey',
  'downloadExportFile',
])

/**
 * Everything that can be read of an organization, without values that change by themselves: last uses of keys, and
 * rates.
 */
export async function snapshot(api: Api, world: World): Promise<Record<string, unknown>> {
  const table = Object.entries<Route>(routes) as [OperationId, Route][]
  const readable = table.filter(
    ([id, { method, access }]) => method === 'GET' && access !== 'key' && !OTHERS.has(id),
  )
  const entries = await Promise.all(
    readable.map(async ([operationId, row]) => {
      const [params, query] = [ownParams(row, world), ownQuery(operationId, world)]
      const reply = await api.call(operationId, { params, query, token: world.org.admin })
      expect(reply.status, operationId).toBe(200)
      const isFile = row.success.download !== undefined
      return [operationId, isFile ? reply.text : withoutUse(reply.body)] as const
    }),
  )
  return Object.fromEntries(entries)
}

const passing = new Set([
  'last_used_at',
  'read_at',
  'reads_per_minute',
  'messages_last_hour',
  'problems_last_hour',
  'reads_last_hour',
  'reads_by_hour',
])

const withoutUse = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body, (name, value: unknown) => (passing.has(name) ? null : value)))
