import { poll } from '@whereabouts/deploy/workshop/servers/poll'
import { connectReader } from '../../system/readers.ts'
import type { Caller } from '../load/caller.ts'
import { exchange, type RevokedKey } from '../load/keys.ts'
import type { LiveFeed } from '../load/live-feed.ts'
import type { Done } from '../load/load.ts'
import type { Tenant } from '../load/tenant.ts'
import { readBack } from '../load/writes.ts'
import { RECEIVER_LINKS } from '../plan/targets.ts'
import { deadLetters, movementsOf } from '../system/broker-state.ts'
import type { CampaignSystem } from '../system/campaign-system.ts'
import type { RanFault } from './causes.ts'
import { checkOldHistory } from './check-old-history.ts'
import type { Delivery, Finding, HistoryRow, Movement, OrgFacts } from './ledger.ts'
import { checkLiveFeed } from './live-feed.ts'
import { checkMovements, type Disturbance } from './movements.ts'
import { checkScans } from './scans.ts'

export type RoundFacts = {
  system: CampaignSystem
  tenants: readonly Tenant[]
  caller: Caller
  done: Done
  deliveries: readonly Delivery[]
  /** In the order of the tenants. */
  feeds: readonly LiveFeed[]
  faults: readonly RanFault[]
  seed: number
  /** The length of the load. */
  ms: number
}

/** Asks the quiet system for everything that was acknowledged, and compares. */
export async function checkRound(round: RoundFacts): Promise<{ findings: Finding[]; movements: number }> {
  const { system, tenants, caller, done, deliveries, feeds, faults } = round
  const movements = await movementsOf(system.stack)
  const findings: Finding[] = []
  for (const tenant of tenants) {
    const facts = await factsOf(tenant, caller, movements.get(tenant.id) ?? [], deliveries)
    findings.push(...checkScans(tenant.ledger, facts))
    findings.push(...checkMovements(tenant.ledger, facts, disturbances(tenants, faults)))
  }
  for (const [i, feed] of feeds.entries()) {
    const orgId = tenants[i]?.id ?? 0
    findings.push(...(await checkFeed(orgId, movements.get(orgId) ?? [], feed)))
  }
  for (const thing of done.things) {
    const tenant = tenants.find(({ id }) => id === thing.orgId)
    if (tenant) findings.push(...(await readBack({ tenant, caller }, thing, 'at the end')))
  }
  for (const revoked of done.revoked) findings.push(...(await checkRevoked(system, caller, revoked)))
  findings.push(...(await checkOldHistory({ ...round, base: system.base, old: done.old })))
  const dead = await deadLetters(system.stack)
  if (dead > 0) findings.push({ kind: 'dead letter', what: `${dead} messages were given up` })
  return { findings, movements: [...movements.values()].flat().length }
}

const FEED_MS = 60_000

/** A feed that was just cut off may still need a moment to resume. */
async function checkFeed(orgId: number, movements: readonly Movement[], feed: LiveFeed): Promise<Finding[]> {
  const look = () => checkLiveFeed(orgId, movements, feed.view())
  const isComplete = () => look().every(({ kind }) => kind !== 'live movement missing') || undefined
  await poll(isComplete, { everyMs: 500, timeoutMs: FEED_MS })
  return look()
}

/** When the connections to receivers were disturbed. A delivery is then not the receiver's failure. */
function disturbances(tenants: readonly Tenant[], faults: readonly RanFault[]): Disturbance[] {
  return faults.flatMap(({ target, startedAtMs, endedAtMs }) => {
    const tenant = tenants.find(({ n }) => target === RECEIVER_LINKS[n])
    return tenant ? [{ orgId: tenant.id, startedAtMs, endedAtMs }] : []
  })
}

const PAGE = 200

type Row = { location_id: number | null }

async function factsOf(
  tenant: Tenant,
  caller: Caller,
  movements: readonly Movement[],
  deliveries: readonly Delivery[],
): Promise<OrgFacts> {
  const ask = async (operation: string, path: string) => {
    const { status, data } = await caller.call({
      operation,
      path,
      needs: ['tracking'],
      token: tenant.keyToken,
      expect: [200],
    })
    if (status !== 200) throw new Error(`the quiet system does not answer: ${operation} ${path}`)
    return data as (Row & { event_observed_at: string; asset_last_seen: string; asset_id: number })[]
  }
  const row = ({ location_id: locationId }: Row, at: string): HistoryRow => ({
    observedAtMs: Date.parse(at),
    locationId,
  })
  const history = new Map<number, HistoryRow[]>()
  const page = (id: number, offset: number) =>
    ask('history', `/api/v1/assets/${id}/history?limit=${PAGE}&offset=${offset}`)
  for (const id of tenant.ledger.assets.keys()) {
    const rows = await page(id, 0)
    while (rows.length > 0 && rows.length % PAGE === 0) {
      const next = await page(id, rows.length)
      if (next.length === 0) break
      rows.push(...next)
    }
    history.set(id, rows.map((one) => row(one, one.event_observed_at))) // oxfmt-ignore
  }
  const report = await ask('report', '/api/v1/reports/asset-locations?limit=200')
  return {
    history,
    report: new Map(report.map((one) => [one.asset_id, row(one, one.asset_last_seen)])),
    movements,
    deliveries: deliveries.filter(({ orgId }) => orgId === tenant.id),
  }
}

/** No gateway takes the token of a revoked key, it gives no new one, and the broker refuses its login. */
async function checkRevoked(
  system: CampaignSystem,
  caller: Caller,
  { key, token, orgId }: RevokedKey,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const found = (where: string) =>
    findings.push({
      kind: 'revoked key works',
      what: `key ${key.clientId} of organization ${orgId} ${where}`,
    })
  for (const { service, name, api } of system.replicas.values()) {
    if (service !== 'gateway') continue
    const headers = { authorization: `Bearer ${token}`, 'user-agent': 'campaign/1' }
    const reply = await fetch(`${api}/api/v1/assets?limit=1`, { headers })
    await reply.body?.cancel()
    if (reply.status !== 401) found(`is answered with ${reply.status} by ${name}`)
  }
  if ((await exchange(caller, key, [401])) !== undefined) found('gets a new token')
  const link = await connectReader(system.stack, key, 'nats').catch(() => undefined)
  if (link) {
    found('logs in at the broker')
    await link.close()
  }
  return findings
}
