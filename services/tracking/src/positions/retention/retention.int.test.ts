import type { AssetType } from '@whereabouts/contracts/resources/catalog/assets'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { ingest, message, warehouse, NOW } from '../../../test/ingest/warehouse.fixture.ts'
import { readBy } from '../../../test/read-by.ts'
import { store } from '../../../test/store.ts'
import { log, test, type Tracking } from '../../../test/tracking.fixture.ts'
import { minuteOf } from '../observation.ts'
import { DAY_MS } from '../packed/day-rows.ts'
import { packStep } from '../packed/packer.ts'
import { deleteExpired } from './retention.loop.ts'
import { Retentions } from './retentions.ts'

const TODAY = Math.floor(NOW / DAY_MS) * DAY_MS
const iso = (ms: number) => new Date(ms).toISOString()

const announce = ({ states }: Retentions, orgId: number, revision: number, retention_days?: object) =>
  states.apply(`keys.org.${orgId}`, { org_id: orgId, revision, ...(retention_days && { retention_days }) })

/** A row at noon of each of the last days. */
async function seenDaily(tracking: Tracking, orgId: number, assetId: number, days: number) {
  const at = (n: number) => TODAY - n * DAY_MS + DAY_MS / 2
  const all = Array.from({ length: days }, (_, n) => ({
    ...readBy('dock-1'),
    orgId,
    assetId,
    locationId: n % 2 === 0 ? 7 : 8,
    observedAtMs: at(days - n),
    minute: minuteOf(at(days - n)),
  }))
  for (const one of all) await store(tracking.db, tracking.view, [one])
}

/** How many days ago the rows and the movements of an asset were, the oldest first. */
async function kept(tracking: Tracking, orgId: number, assetId: number) {
  const path = `/assets/${assetId}/history?limit=200&sort=event_observed_at`
  const { data } = (await tracking.call('GET', path, { orgId })).json()
  const daysAgo = (at: string) => Math.ceil((TODAY - Date.parse(at)) / DAY_MS)
  const moved = await tracking.db.selectFrom('movement').select('minute').where('asset_id', '=', assetId).where('org_id', '=', orgId).orderBy('minute').execute() // oxfmt-ignore
  const rows = data.map((row: { event_observed_at: string }) => daysAgo(row.event_observed_at))
  expect(moved.map(({ minute }) => daysAgo(minute))).toEqual(rows)
  return rows
}

const lastDays = (n: number) => Array.from({ length: n }, (_, i) => n - i)

test('D22.2 history of a type is deleted day by day, packed or not; other types and organizations keep theirs', async ({
  tracking,
}) => {
  const { catalog, db, view } = tracking
  await sql`update history_packing set starts_at = '-infinity'`.execute(db)
  const asset = (orgId: number, type: AssetType) => catalog.asset(orgId, `${type} ${orgId}`, { type })
  const [badge, pallet, theirs] = [asset(1, 'person'), asset(1, 'inventory'), asset(2, 'person')]
  const gone = catalog.asset(1, 'left', { type: 'person', deleted_at: iso(NOW) })
  await tracking.project()
  for (const { id } of [badge, pallet, gone]) await seenDaily(tracking, 1, id, 20)
  await seenDaily(tracking, 2, theirs.id, 20)
  const retentions = new Retentions()
  const run = (now = NOW) => deleteExpired({ db, retentions, types: view.types, log, now: () => now })
  await run()
  expect(await kept(tracking, 1, badge.id)).toEqual(lastDays(20))

  // Nothing packed yet; then most of it; then one more day.
  announce(retentions, 1, 1, { person: 15 })
  announce(retentions, 2, 1, {})
  await run()
  expect(await kept(tracking, 1, badge.id)).toEqual(lastDays(15))
  while ((await packStep(db)).outcome !== 'done') continue
  announce(retentions, 1, 2, { person: 10 })
  await Promise.all([run(), run(), run()])
  expect(await kept(tracking, 1, badge.id)).toEqual(lastDays(10))
  const ofDeleted = await db.selectFrom('movement').select('minute').where('asset_id', '=', gone.id).execute()
  expect(ofDeleted).toHaveLength(10)
  await run(NOW + DAY_MS)
  expect(await kept(tracking, 1, badge.id)).toEqual(lastDays(9))
  expect(await kept(tracking, 1, pallet.id)).toEqual(lastDays(20))
  expect(await kept(tracking, 2, theirs.id)).toEqual(lastDays(20))
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from scan
    where asset_id = ${badge.id} and minute < ${iso(TODAY - 10 * DAY_MS)}`.execute(db)
  expect(rows).toEqual([{ n: 0 }])
  const places = await db
    .selectFrom('position')
    .select('location_id')
    .where('asset_id', '=', badge.id)
    .execute()
  expect(places).toHaveLength(1)

  // The type of now counts, and a state that is older or of an older release changes nothing, or back to all.
  catalog.change(pallet, { type: 'person' })
  await tracking.project()
  view.types.set(1, pallet.id, 'person')
  announce(retentions, 1, 1, { person: 7 })
  await run()
  expect(await kept(tracking, 1, pallet.id)).toEqual(lastDays(10))
  announce(retentions, 1, 3)
  await run(NOW + 5 * DAY_MS)
  expect(await kept(tracking, 1, pallet.id)).toEqual(lastDays(10))
})

test('D22.2 late reads of days that are not kept are not stored, and those of kept days are', async ({
  tracking,
}) => {
  const { asset } = await warehouse(tracking)
  const late = (days: number) =>
    message(1, [
      { value: 'E280', at: TODAY - days * DAY_MS + DAY_MS / 2, antenna: 1 },
      { value: 'FFFF', at: NOW - 1_000 }, // the clock is right
    ])
  const stored = async () =>
    (await tracking.db.selectFrom('scan').select('minute').where('asset_id', '=', asset.id).execute()).length
  announce(tracking.retentions, 1, 1, { person: 7 })
  await ingest(tracking, [late(9)])
  expect(await stored()).toBe(1)
  announce(tracking.retentions, 1, 2, { asset: 8 })
  await ingest(tracking, [late(10)])
  expect(await stored()).toBe(1)
  await ingest(tracking, [late(8)])
  expect(await stored()).toBe(2)
  await deleteExpired({ db: tracking.db, retentions: tracking.retentions, types: tracking.view.types, log })
  expect(await stored()).toBe(1)
})
