import { unwrap } from '@whereabouts/client/client'
import type { Receiver } from '@whereabouts/testing/receiver'
import { expect, vi } from 'vitest'
import type { Organization } from '../../system/organization.ts'
import { PATIENTLY } from './replicated-system.ts'
import type { Traffic } from './traffic.ts'

const MOST_SHOWN = 20

/** `locationId`: where all scans were. `assets`: how many there were without traffic. `refused`: requests that were allowed to fail. */
type Where = { org: Organization; locationId: number; receiver: Receiver; assets: number; refused?: number }

/**
 * No other request failed, and every scan that the broker took is a row, a delivery and a movement on the live feed, once.
 * `traffics`: all of the organization, each paused.
 */
export async function expectNothingLost(
  { org, locationId, receiver, assets, refused = 0 }: Where,
  traffics: readonly Traffic[],
): Promise<void> {
  expect(traffics.flatMap(({ failures }) => failures).slice(refused, refused + MOST_SHOWN)).toEqual([])
  const scanned = traffics.flatMap((traffic) => traffic.scanned)
  expect(new Set(scanned).size).toBe(scanned.length)

  const located = async () =>
    unwrap(
      await org.admin.GET('/api/v1/reports/asset-locations', {
        params: { query: { limit: 1, location_id: [locationId] } },
      }),
    ).total_count
  await vi.waitUntil(async () => (await located()) === scanned.length, PATIENTLY)
  const { total_count } = unwrap(await org.admin.GET('/api/v1/assets', { params: { query: { limit: 1 } } }))
  expect(total_count).toBe(assets + traffics.flatMap(({ created }) => created).length)

  const delivered = () => new Set(receiver.received.map(({ body }) => deliveryIdOf(body)))
  await vi.waitUntil(() => delivered().size >= scanned.length, PATIENTLY)
  expect(delivered().size).toBe(scanned.length)

  const seenLive = () => traffics.flatMap((traffic) => traffic.seenLive())
  await vi.waitUntil(() => seenLive().length >= scanned.length, PATIENTLY)
  expect(new Set(seenLive()).size).toBe(scanned.length)
  expect(seenLive()).toHaveLength(scanned.length)
}

const deliveryIdOf = (body: Buffer) => (JSON.parse(body.toString()) as { delivery_id: string }).delivery_id
