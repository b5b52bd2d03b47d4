import { minuteOf, type Observation } from '../../src/positions/observation.ts'
import { store } from '../store.ts'
import type { Tracking } from '../tracking.fixture.ts'
import { readBy } from '../read-by.ts'

export const NOW = Math.floor(Date.now() / 60_000) * 60_000

export const seen = (
  assetId: number,
  locationId: number | null,
  minutesAgo: number,
  orgId = 1,
): Observation => ({
  orgId,
  assetId,
  minute: minuteOf(NOW) - minutesAgo,
  observedAtMs: NOW - minutesAgo * 60_000 + 123,
  locationId,
  ...readBy('r'),
})
export const iso = (minutesAgo: number) => new Date(NOW - minutesAgo * 60_000 + 123).toISOString()

/**
 * Alpha was at the dock 30 and 20 minutes ago and at the shelf 10 minutes ago. Beta was read without a location 5
 * minutes ago. Never was not read at all. Another organization also has an asset.
 */
export async function scene(tracking: Tracking) {
  const { catalog } = tracking
  const [a, b, never] = ['Alpha', 'Beta_1', 'Never'].map((name) => catalog.asset(1, name))
  const theirs = catalog.asset(2, 'Theirs')
  const [dock, shelf] = ['Dock', 'Shelf'].map((name) => catalog.location(1, name))
  catalog.tag(b!, '50%-OFF', { tag_type: 'barcode' })
  await tracking.project()
  await store(tracking.db, tracking.view, [
    seen(a!.id, dock!.id, 30),
    seen(a!.id, dock!.id, 20),
    seen(a!.id, shelf!.id, 10),
    seen(b!.id, null, 5),
    seen(theirs.id, dock!.id, 1, 2),
  ])
  return { a: a!, b: b!, never: never!, theirs, dock: dock!, shelf: shelf! }
}

export const ids = (res: { json(): { data: { asset_id: number }[] } }) =>
  res.json().data.map((row) => row.asset_id)
