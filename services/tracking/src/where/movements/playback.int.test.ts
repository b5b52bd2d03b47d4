import type { Playback } from '@whereabouts/contracts/resources/tracking/movements'
import { expect } from 'vitest'
import { readBy } from '../../../test/read-by.ts'
import { store } from '../../../test/store.ts'
import { test, type Tracking } from '../../../test/tracking.fixture.ts'
import { minuteOf, type Observation } from '../../positions/observation.ts'

const MINUTE = 60_000
const START = Math.floor(Date.now() / MINUTE) * MINUTE - 300 * MINUTE
const at = (minutes: number) => new Date(START + minutes * MINUTE).toISOString()

const row = (assetId: number, minutes: number, locationId: number, orgId = 1): Observation => ({
  orgId,
  assetId,
  minute: minuteOf(START) + minutes,
  observedAtMs: START + minutes * MINUTE + 500,
  locationId,
  ...readBy('r'),
})

const call = (tracking: Tracking, from: string, to: string) =>
  tracking.call('GET', `/movements/playback?${new URLSearchParams({ from, to }).toString()}`, { orgId: 1 })

/** Each asset with its location, after all movements until then. */
function stateOf({ assets, locations, start, moves }: Playback): Map<number, number> {
  const state = new Map<number, number>()
  for (const { asset, location } of [start, moves])
    asset.forEach((index, i) => state.set(assets[index] ?? 0, locations[location[i] ?? 0] ?? 0))
  return state
}

test('a playback has the state at its start and each movement until its end, of one organization', async ({
  tracking,
}) => {
  const [dock, shelf] = [tracking.catalog.location(1, 'Dock'), tracking.catalog.location(1, 'Shelf')]
  const [pump, cart, crate] = ['Pump', 'Cart', 'Crate'].map((name) => tracking.catalog.asset(1, name))
  const other = {
    asset: tracking.catalog.asset(2, 'Theirs'),
    location: tracking.catalog.location(2, 'Theirs'),
  }
  if (!pump || !cart || !crate) throw new Error('an asset is missing')
  await tracking.project()
  await store(tracking.db, tracking.view, [
    row(pump.id, 1, dock.id),
    row(pump.id, 10, shelf.id),
    row(pump.id, 20, dock.id),
    row(cart.id, 2, dock.id),
    row(crate.id, 12, shelf.id),
    row(other.asset.id, 11, other.location.id, 2),
  ])
  const reply = await call(tracking, at(5), at(15))
  const { data } = reply.json<{ data: Playback }>()
  expect(data).toMatchObject({ from: at(5), to: at(15), is_cut: false })
  expect(data.start.asset).toHaveLength(2)
  expect(data.moves.seconds).toEqual([300, 120])
  expect(stateOf({ ...data, moves: { seconds: [], asset: [], location: [] } })).toEqual(
    new Map([
      [pump.id, dock.id],
      [cart.id, dock.id],
    ]),
  )
  expect(stateOf(data)).toEqual(
    new Map([
      [pump.id, shelf.id],
      [cart.id, dock.id],
      [crate.id, shelf.id],
    ]),
  )
})

test('a playback is of at most a day, and must not end before it begins', async ({ tracking }) => {
  const dayLater = at(24 * 60)
  expect((await call(tracking, at(0), dayLater)).statusCode).toBe(200)
  expect((await call(tracking, at(-1), dayLater)).json().error.fields).toMatchObject([
    { field: 'from', code: 'too_small', params: { min: at(0) } },
  ])
  expect((await call(tracking, at(1), at(1))).json().error.fields).toMatchObject([
    { field: 'from', code: 'invalid_value' },
  ])
})
