import type { Visit } from '@whereabouts/contracts/resources/tracking/visits'
import { expect } from 'vitest'
import { packStep } from '../../src/positions/packed/packer.ts'
import { minuteOf } from '../../src/positions/observation.ts'
import { readBy } from '../read-by.ts'
import { store } from '../store.ts'
import type { Tracking } from '../tracking.fixture.ts'
import type { ExpectedVisit, Row } from './reference.ts'

const DAY = 86_400_000
export const MINUTE = 60_000
/** Days before it are packed when asked. */
export const midnight = (daysAgo: number) => Math.floor(Date.now() / DAY) * DAY - daysAgo * DAY
export const iso = (ms: number) => new Date(ms).toISOString()

export const storeRows = ({ db, view }: Tracking, orgId: number, rows: readonly Row[]) =>
  store(
    db,
    view,
    rows.map(({ assetId, at, locationId }) => ({
      orgId,
      assetId,
      minute: minuteOf(at),
      observedAtMs: at,
      locationId,
      ...readBy('r'),
    })),
  )

/** Packs all days that are old enough. */
export async function pack({ db }: Tracking): Promise<void> {
  while ((await packStep(db)).outcome !== 'done');
}

/** As if nothing had been packed yet. */
export const unpack = ({ db }: Tracking) =>
  db
    .updateTable('history_packing')
    .set({ packed_until: '-infinity', after_org: null, after_asset: null })
    .execute()

export const setZone = ({ retentions }: Tracking, orgId: number, revision: number, timezone: string): void =>
  retentions.states.apply(`keys.org.${orgId}`, { org_id: orgId, revision, timezone })

export type Query = Record<string, string | number | boolean | readonly (string | number)[] | undefined>

function queryText(query: Query): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) search.append(name, String(one))
  return search.toString()
}

export const call = (tracking: Tracking, orgId: number, path: string, query: Query) =>
  tracking.call('GET', `${path}?${queryText(query)}`, { orgId })

/** All pages of visits. */
export async function allVisits(tracking: Tracking, orgId: number, query: Query): Promise<Visit[]> {
  const visits: Visit[] = []
  let after: string | undefined
  do {
    const res = await call(tracking, orgId, '/visits', { ...query, after })
    expect(res.statusCode, res.body).toBe(200)
    const page = res.json<{ data: Visit[]; cursor: string | null; has_more: boolean }>()
    expect(page.has_more).toBe(page.cursor !== null)
    visits.push(...page.data)
    after = page.cursor ?? undefined
  } while (after !== undefined)
  return visits
}

export const shown = (visit: ExpectedVisit) => ({
  asset: visit.assetId,
  location: visit.place,
  started_at: iso(visit.start),
  ended_at: visit.end === null ? null : iso(visit.end),
  seconds: Math.floor(((visit.end ?? visit.lastSeen) - visit.start) / 1_000),
  last_seen_at: iso(visit.lastSeen),
  ended_by: visit.endedBy,
})

export const seen = ({ asset, location, ...rest }: Visit) => ({
  ...rest,
  asset: asset.id,
  location: location.id,
})
