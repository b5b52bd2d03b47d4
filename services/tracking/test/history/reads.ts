import { DAY_MS } from '../../src/positions/packed/day-rows.ts'
import { firstPageReader } from '../../src/where/history/first-pages.queries.ts'
import { readPage, seen } from '../../src/where/history/page.queries.ts'
import { listSightings } from '../../src/where/history/sightings.queries.ts'
import { readAssetLocationsAt } from '../../src/where/reports/asset-locations/at-instant.queries.ts'
import { LATEST_FIRST } from '../../src/where/reports/asset-locations/filter.ts'
import { randomOf } from '../positions/rooms.ts'
import { ORG, type StoredHistory } from './stored-history.ts'

/** What requests read of history: each call is about another asset or instant, the same ones in each run. */
export function readsOf(
  { tenants }: StoredHistory,
  assetIds: readonly number[],
  days: readonly string[],
  depth: number,
) {
  const random = randomOf(11)
  const one = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const asset = () => ({ db: tenants.forOrg(ORG), orgId: ORG, assetId: one(assetIds) })
  const firstPage = firstPageReader(tenants)
  const page = (limit: number, offset: number) =>
    readPage(asset(), {}, { limit, offset, descending: true }, seen)
  const sightings = (offset: number) => {
    const { db, assetId } = asset()
    return listSightings(db, ORG, assetId, {}, { limit: 50, offset })
  }
  const report = () => {
    const at = new Date(Date.parse(one(days)) + (7 + 10 * random()) * (DAY_MS / 24))
      .toISOString()
      .replace('Z', '000Z')
    const filter = { limit: 100, offset: 0, sort: LATEST_FIRST, includeDeleted: false }
    return readAssetLocationsAt(tenants.forOrg(ORG), ORG, filter, at)
  }
  return [
    { name: 'page of 50, newest', call: () => firstPage(ORG, { assetId: one(assetIds), limit: 50 }) },
    { name: `page of 50, after ${depth}`, call: () => page(50, depth) },
    { name: 'sightings, newest 50', call: () => sightings(0) },
    { name: `sightings, 50 after ${depth}`, call: () => sightings(depth) },
    { name: 'total of all days', call: () => page(1, 0) },
    { name: `report at an instant, of ${assetIds.length} assets`, call: report },
  ]
}
