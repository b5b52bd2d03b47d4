import { placeAsset } from '@whereabouts/contracts/messages/asset-placed'
import { assetsAt, MAX_ASSETS_AT, misplacedAssets } from '@whereabouts/contracts/messages/assets-at'
import { currentLocations } from '@whereabouts/contracts/messages/current-locations'
import { respond } from '@whereabouts/messaging/messages/request'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import type { Bus } from '@whereabouts/testing/broker/bus'
import { expect } from 'vitest'
import { test } from '../../../test/catalog.fixture.ts'
import { trackingClient, TrackingUnavailable } from './tracking.ts'

const log = createLogger('catalog', 'silent')

const responding = (bus: Bus, subject: string, reply: (payload: never) => unknown) =>
  respond(bus.broker, subject, 'tracking', async (payload) => reply(payload as never), bus)

const state = { org_id: 1, revision: 1, external_key: 'K', name: 'n', valid_to: null, deleted_at: null }
const at = '2026-01-01T00:00:00.000Z'
const times = { valid_from: at, created_at: at, updated_at: at }
const placed = {
  org_id: 1,
  asset: { ...state, id: 5, valid_from: at },
  location: { ...state, ...times, id: 7, description: null, parent_id: null, is_active: true },
  placed_at: at,
}

test('requests and replies have the shapes of the contract', async ({ bus }) => {
  const received: unknown[] = []
  const keep = (payload: unknown) => received.push(payload)
  const responders = [
    responding(bus, currentLocations.subject, (payload) => {
      const { with_last_seen: withLastSeen, ...request } = currentLocations.request.parse(payload)
      const locations = [{ asset_id: 5, location_id: 7, location_external_key: 'K' }]
      keep(request)
      return withLastSeen
        ? { locations, last_seen: [5, 6].map((asset_id) => ({ asset_id, at })) }
        : { locations }
    }),
    responding(bus, assetsAt.subject, (payload) => {
      const { after } = assetsAt.request.parse(payload)
      const asset_ids = Array.from({ length: after === 0 ? MAX_ASSETS_AT : 1 }, () => 2 ** 53 - 1)
      return { asset_ids }
    }),
    responding(bus, misplacedAssets.subject, (payload) => {
      const request = misplacedAssets.request.parse(payload)
      keep(request)
      return { asset_ids: Array.from({ length: request.after === 0 ? MAX_ASSETS_AT : 1 }, () => 2 ** 53 - 1) }
    }),
    responding(bus, placeAsset.subject, (payload) => {
      placeAsset.request.parse(payload)
      keep(payload) // whole, because the last release of tracking reads more of the location
      return { recorded: true }
    }),
  ]
  const tracking = trackingClient(() => bus.broker, log)
  expect(await tracking.locationsOf(1, [5, 6])).toEqual(new Map([[5, 7]]))
  expect([...(await tracking.lastSeenOf(1, [5, 6]))]).toEqual([
    [5, { locationId: 7, at }],
    [6, { locationId: undefined, at }],
  ])
  const full = await tracking.assetsAt(1, [7], 0) // fits into one message of the broker, with the longest ids
  expect([full.assetIds.length, full.isLast]).toEqual([MAX_ASSETS_AT, false])
  expect(await tracking.assetsAt(1, [7], 9)).toMatchObject({ isLast: true })
  const wanted = { misplaced: true, home_location_id: [7, 8] }
  const page = await tracking.misplaced(1, wanted, 0)
  expect([page.assetIds.length, page.isLast]).toEqual([MAX_ASSETS_AT, false])
  expect(await tracking.misplaced(1, { misplaced: false }, 9)).toMatchObject({ isLast: true })
  await tracking.place(placed)
  const listing = { org_id: 1, limit: MAX_ASSETS_AT }
  const asked = { org_id: 1, asset_ids: [5, 6] }
  expect(received).toEqual([
    asked,
    asked,
    { ...listing, misplaced: true, home_ids: [7, 8], after: 0 },
    { ...listing, misplaced: false, after: 9 },
    placed,
  ])
  await Promise.all(responders.map((responder) => responder.stop()))
})

test('the last release of tracking, which does not say when, counts as unavailable', async ({ bus }) => {
  const old = responding(bus, currentLocations.subject, () => ({ locations: [] }))
  const tracking = trackingClient(() => bus.broker, log)
  await expect(tracking.lastSeenOf(1, [5])).rejects.toThrow(TrackingUnavailable)
  await old.stop()
})

test('no responder, a failure, an invalid reply, or no broker means unavailable', async ({ bus }) => {
  const tracking = trackingClient(() => bus.broker, log)
  await expect(tracking.locationsOf(1, [5])).rejects.toThrow(TrackingUnavailable)
  await expect(trackingClient(() => undefined, log).place(placed)).rejects.toThrow(TrackingUnavailable)
  const invalid = responding(bus, currentLocations.subject, () => ({ locations: 'everywhere' }))
  await expect(tracking.locationsOf(1, [5])).rejects.toThrow(TrackingUnavailable)
  await invalid.stop()
  const failing = responding(bus, placeAsset.subject, () => {
    throw new Error('the database is away')
  })
  await expect(tracking.place(placed)).rejects.toThrow(TrackingUnavailable)
  await failing.stop()
})
