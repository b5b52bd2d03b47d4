import type { AssetMoved } from '@whereabouts/contracts/messages/asset-moved'
import type { AssetState, LocationState } from '@whereabouts/contracts/messages/catalog-state'
import { sql } from 'kysely'
import { minuteOf, type Observation } from '../../src/positions/observation.ts'
import type { Tracking } from '../tracking.fixture.ts'
import { readBy } from '../read-by.ts'

/** Ten seconds into a minute of the recent past. */
export const NOW = Math.floor(Date.now() / 60_000) * 60_000 - 590_000
export const iso = (ms: number) => new Date(ms).toISOString()

export const save = (tracking: Tracking, assets: readonly string[], location: string, orgId = 1) =>
  tracking.call('POST', '/inventory/save', {
    orgId,
    body: { asset_identifiers: assets, location_identifier: location },
  })

export const read = (asset: AssetState, location: LocationState | null, at: number): Observation => ({
  orgId: asset.org_id,
  assetId: asset.id,
  minute: minuteOf(at),
  observedAtMs: at,
  locationId: location && location.id,
  ...readBy('gate'),
})

export async function scene(tracking: Tracking) {
  const { catalog } = tracking
  const [one, two] = [catalog.asset(1, 'One'), catalog.asset(1, 'Two')]
  const [dock, shelf] = [catalog.location(1, 'Dock'), catalog.location(1, 'Shelf')]
  await tracking.project()
  tracking.clock.stoppedAt = NOW
  return { one, two, dock, shelf }
}

export const report = async (tracking: Tracking, orgId = 1) => {
  const res = await tracking.call('GET', '/reports/asset-locations?sort=asset_external_key', { orgId })
  type Row = {
    asset_external_key: string
    location_external_key: string | null
    asset_last_seen: string
    dwell_started_at: string | null
  }
  return (res.json().data as Row[]).map((row) => [
    row.asset_external_key,
    row.location_external_key,
    row.asset_last_seen,
    row.dwell_started_at,
  ])
}

export const history = async (tracking: Tracking, asset: AssetState) =>
  (await tracking.call('GET', `/assets/${asset.id}/history`)).json().data

export async function events(tracking: Tracking): Promise<AssetMoved[]> {
  const rows = await tracking.db
    .selectFrom('outbox')
    .select('payload')
    .where('subject', 'not like', 'audit.%')
    .orderBy('id')
    .execute()
  return rows.map((row) => row.payload as AssetMoved)
}
export const moves = async (tracking: Tracking) =>
  (await events(tracking)).map((e) => [
    e.kind,
    e.asset.external_key,
    e.from_location?.name,
    e.to_location.name,
  ])

/** Number of history rows, of assets that were seen, and of events. */
export async function counts(tracking: Tracking): Promise<number[]> {
  const { rows } = await sql<{ scans: number; seen: number; events: number }>`
    select (select count(*) from scan) as scans,
      (select count(*) from position where isfinite(minute)) as seen,
      (select count(*) from outbox where subject not like 'audit.%') as events`.execute(tracking.db)
  return rows.flatMap(({ scans, seen, events: sent }) => [scans, seen, sent])
}
