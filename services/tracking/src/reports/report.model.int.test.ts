import type { SortField } from '@whereabouts/contracts/query'
import type { AssetLocationRow } from '@whereabouts/contracts/tracking'
import fc from 'fast-check'
import { expect } from 'vitest'
import { minuteOf, type Observation } from '../ingest/observation.ts'
import { store } from '../ingest/store.ts'
import { test, type CatalogStandIn, type Tracking } from '../tracking.fixture.ts'
import type { ReportAsk, ReportSort } from './report.ask.ts'
import { readReport } from './report.queries.ts'

/** The report against one that is computed from all rows in memory, for whatever may be asked. */

const NOW = Math.floor(Date.now() / 60_000) * 60_000
const [PAST, FUTURE] = ['2021-01-01T00:00:00.000Z', '2990-01-01T00:00:00.000Z']
const WORDS = ['Forklift', 'Pallet', 'pump', 'ÄRGER', '50%_off', String.raw`back\slash`]

/** Some things of two organizations: expired, not yet valid, deleted, never scanned, nowhere, at deleted locations. */
async function fill(tracking: Tracking): Promise<void> {
  const { catalog } = tracking
  for (const orgId of [1, 2]) {
    const locations = Array.from({ length: 7 }, (_, i) =>
      catalog.location(orgId, `Place ${6 - i}`, i > 4 ? { deleted_at: PAST } : {}),
    )
    for (let i = 0; i < 70; i += 1) {
      const asset = catalog.asset(orgId, `${WORDS[i % WORDS.length]} ${(i * 37) % 70}`, {
        external_key: `A-${(i * 13) % 70}`,
        ...(i % 11 === 3 && { valid_to: PAST }),
        ...(i % 13 === 4 && { valid_to: FUTURE }),
        ...(i % 17 === 5 && { valid_from: FUTURE }),
        ...(i % 7 === 6 && { deleted_at: PAST }),
      })
      if (i % 3 === 0) catalog.tag(asset, `E2:${i}`)
      if (i % 5 === 0) catalog.tag(asset, `B${i}%x`, { tag_type: 'barcode' })
      if (i % 15 === 0) catalog.tag(asset, 'GONE-TAG', { deleted_at: PAST })
      if (i % 10 === 9) continue
      // Several in one instant, so that ties are met in every order.
      const at = NOW - ((i * 7) % 20) * 60_000
      const place = i % 8 === 7 ? null : (locations[(i * 5) % 9]?.id ?? locations[0]?.id ?? null)
      await store(tracking.db, tracking.view, [observation(orgId, asset.id, at, place)])
    }
  }
  await tracking.project()
}

const observation = (orgId: number, assetId: number, at: number, locationId: number | null): Observation => ({
  orgId,
  assetId,
  minute: minuteOf(at),
  observedAtMs: at,
  locationId,
  readerKey: 'r',
  antenna: 1,
})

type Row = Omit<AssetLocationRow, 'dwell_started_at' | 'dwell_seconds'>
type Seen = { asset_id: number; location_id: number | null; observed_at: string }

function expected(catalog: CatalogStandIn, seen: readonly Seen[], ask: ReportAsk): Row[] {
  const now = new Date(NOW).toISOString()
  const rows = seen.flatMap((position): Row[] => {
    const asset = catalog.assets.find((a) => a.id === position.asset_id && a.org_id === 1)
    const location = catalog.locations.find((l) => l.id === position.location_id)
    if (!asset || asset.valid_from > now || (asset.valid_to !== null && asset.valid_to <= now)) return []
    if (asset.deleted_at !== null && !ask.includeDeleted) return []
    if (ask.assetIds && !ask.assetIds.includes(asset.id)) return []
    if (ask.assetKeys && !ask.assetKeys.includes(asset.external_key)) return []
    if (ask.locationIds && !ask.locationIds.includes(position.location_id ?? 0)) return []
    if (ask.placedOnly && location?.deleted_at !== null) return []
    const tags = catalog.tags.filter((t) => t.asset_id === asset.id && t.deleted_at === null)
    const texts = [asset.name, asset.external_key, ...tags.map((t) => t.value)]
    if (ask.q !== undefined && !texts.some((text) => text.toLowerCase().includes(ask.q?.toLowerCase() ?? '')))
      return []
    return [
      {
        asset_id: asset.id,
        asset_external_key: asset.external_key,
        location_id: position.location_id,
        location_external_key: location?.deleted_at === null ? location.external_key : null,
        asset_deleted_at: asset.deleted_at,
        asset_last_seen: position.observed_at,
      },
    ]
  })
  return rows
}

function isInOrder(rows: readonly Row[], sort: readonly SortField<ReportSort>[]): boolean {
  return rows.slice(1).every((row, i) => compare(rows[i] as Row, row, sort) <= 0)
}

/** Without a key comes last, in either direction. */
function compare(a: Row, b: Row, sort: readonly SortField<ReportSort>[]): number {
  for (const { field, descending } of sort) {
    const [x, y] = [a[field], b[field]]
    if (x === y) continue
    if (x === null || y === null) return x === null ? 1 : -1
    return x < y === descending ? 1 : -1
  }
  return 0
}

const sorts = fc.uniqueArray(
  fc.record({
    field: fc.constantFrom<ReportSort[]>('asset_last_seen', 'asset_external_key', 'location_external_key'),
    descending: fc.boolean(),
  }),
  { minLength: 1, maxLength: 3, selector: ({ field }) => field },
)

const asks = (ids: readonly number[], placeIds: readonly number[]) => {
  const q = fc.constantFrom('fork', 'LIFT 3', 'a-1', 'a', '%', '_', String.raw`\S`, 'ärger', 'e2:', 'gone', '\u001f')
  const locationIds = fc.subarray([...placeIds, 999], { minLength: 1 })
  const assetIds = fc.subarray([...ids, 999, 999], { minLength: 1, maxLength: 20 })
  const assetKeys = fc.constant(['A-1', 'A-13', 'A-26', 'A-39', 'NONE'])
  const filters = fc.oneof(
    fc.constant({}),
    fc.record({ locationIds }),
    fc.record({ q }),
    fc.record({ q, locationIds }),
    fc.record({ assetIds, q, locationIds }, { requiredKeys: ['assetIds'] }),
    fc.record({ assetKeys, q, locationIds }, { requiredKeys: ['assetKeys'] }),
  )
  const placedOnly = fc.oneof({ arbitrary: fc.constant(false), weight: 3 }, { arbitrary: fc.constant(true), weight: 1 })
  return fc.record({ sort: sorts, includeDeleted: fc.boolean(), limit: fc.integer({ min: 1, max: 12 }), filters, placedOnly })
}

test('D8.2 whatever is asked, all pages together are the rows that match, once each and in order', async ({
  tracking,
}) => {
  await fill(tracking)
  const { catalog, db } = tracking
  const seen: Seen[] = await db
    .selectFrom('position')
    .select(['asset_id', 'location_id', 'observed_at'])
    .where('minute', '>', '1970-01-01T00:00:00.000Z')
    .execute()
  const placeIds = catalog.locations.map(({ id }) => id)
  const ids = catalog.assets.map(({ id }) => id)
  await fc.assert(
    fc.asyncProperty(asks(ids, placeIds), fc.constantFrom(0, 5_000), async ({ filters, ...asked }, gatherAtMost) => {
      const ask: ReportAsk = { ...asked, ...filters, offset: 0 }
      const wanted = expected(catalog, seen, ask)
      const rows: Row[] = []
      for (let offset = 0; offset <= wanted.length; offset += ask.limit) {
        const page = await readReport(db, 1, { ...ask, offset }, { gatherAtMost })
        expect(page.total).toBe(wanted.length)
        expect(page.rows).toHaveLength(Math.min(ask.limit, wanted.length - offset))
        rows.push(...page.rows.map(({ dwell_started_at: _, dwell_seconds: __, ...row }) => row))
      }
      expect(isInOrder(rows, ask.sort)).toBe(true)
      const byId = (list: readonly Row[]) => list.toSorted((a, b) => a.asset_id - b.asset_id)
      expect(byId(rows)).toEqual(byId(wanted))
    }),
    { numRuns: 300 },
  )
}, 60_000)
