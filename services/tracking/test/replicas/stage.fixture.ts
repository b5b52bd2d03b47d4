import { catalogLookup, type CatalogLookup } from '@whereabouts/contracts/messages/catalog-lookup'
import { AssetMoved } from '@whereabouts/contracts/messages/asset-moved'
import type { AssetState, LocationState } from '@whereabouts/contracts/messages/catalog-state'
import { followStream } from '@whereabouts/messaging/state/follow'
import { natsOf } from '@whereabouts/messaging/connect/connection'
import { placesOf } from '@whereabouts/messaging/connect/topology'
import { publish } from '@whereabouts/messaging/messages/publish'
import { respond } from '@whereabouts/messaging/messages/request'
import { startBus } from '@whereabouts/testing/broker/bus'
import { vi } from 'vitest'
import { startTracking } from '../tracking.fixture.ts'
import type { ReplicaOptions } from './replica.fixture.ts'

/** Antenna 1 is at the dock, 2 at the shelf, 3 without a location. */
export type Seen = { asset: number; antenna: number; at: number }

/** A real broker, a real database, and a catalog that answers. Replicas share them. */
export async function startStage({ partitions = 1 } = {}) {
  const tracking = await startTracking()
  // A message of a dead process is redelivered after a second, or in partitions when the next owner has been pinned.
  const bus = await startBus({ ackWaitMs: 1_000, partitions }, { partitioned: partitions > 1 })
  const { catalog, db } = tracking
  const responder = respond(
    bus.broker,
    catalogLookup.subject,
    'catalog-lookup',
    async (question) => catalog.ask(question as CatalogLookup),
    { logger: bus.logger },
  )
  const replica: ReplicaOptions = {
    nats: { url: bus.server.url, ...bus.server.users.services },
    databaseUrl: tracking.url,
  }

  /** An organization with `count` assets, two locations and a reader. */
  async function open(orgId: number, count: number): Promise<Site> {
    const assets = Array.from({ length: count }, (_, i) => catalog.asset(orgId, `Asset ${i}`))
    for (const [i, asset] of assets.entries()) catalog.tag(asset, tagOf(i))
    const places = [catalog.location(orgId, 'Dock'), catalog.location(orgId, 'Shelf')]
    const reader = { reader_key: 'gate', name: 'Gate', format: 'canonical' }
    const { data } = (await tracking.call('POST', '/readers', { orgId, body: reader })).json()
    for (const [i, place] of [...places, undefined].entries()) {
      const body = { name: 'antenna', antenna: i + 1, location_id: place?.id ?? null }
      await tracking.call('POST', `/readers/${data.id}/scan-points`, { orgId, body })
    }
    return { orgId, assets, places }
  }

  /** One message, padded to `bytes` if given. */
  const send = ({ orgId }: Site, reads: readonly Seen[], bytes = 0) => {
    const payload = Buffer.from(JSON.stringify({ reads: reads.map(toRead) }).padEnd(bytes))
    return publish(bus.broker, { subject: `scans.${orgId}.gate.canonical`, payload })
  }

  /** Messages in OVERFLOW. */
  const overflowing = async () => {
    const jsm = await natsOf(bus.broker).jetstreamManager()
    return (await jsm.streams.info('OVERFLOW')).state.messages
  }

  /** Messages of SCANS that the broker has not handed to a replica yet. */
  const undelivered = async () => {
    const jsm = await natsOf(bus.broker).jetstreamManager()
    return (await jsm.consumers.info('SCANS', 'tracking-ingest')).num_pending
  }

  /** Resolves once every message is acknowledged and every event published. */
  async function settled(): Promise<void> {
    await vi.waitUntil(
      async () => {
        // In the order of a message, which moves from SCANS to OVERFLOW or to the outbox, from OVERFLOW to the outbox.
        const places = placesOf(partitions)
        if (!(await hasHandledAll(bus.server.monitorUrl, places('SCANS'), 'tracking-ingest'))) return false
        if (!(await hasHandledAll(bus.server.monitorUrl, places('OVERFLOW'), 'tracking-overflow')))
          return false
        const waiting = await db.selectFrom('outbox').select('id').limit(1).execute()
        return waiting.length === 0
      },
      { timeout: 30_000, interval: 50 },
    )
  }

  /** All stored rows and events, without ids, so that two sites can be compared. */
  async function outcome({ orgId, assets, places }: Site) {
    const asset = (id: number) => assets.findIndex((a) => a.id === id)
    const place = (id: number | null | undefined) => places.find((p) => p.id === id)?.name ?? null
    const rows = await db.selectFrom('scan').selectAll().where('org_id', '=', orgId).execute()
    const positions = await db
      .selectFrom('position')
      .selectAll()
      .where('org_id', '=', orgId)
      .where('minute', '!=', '-infinity')
      .execute()
    const moved = await eventsOf(orgId)
    return {
      history: rows
        .map((row) => [asset(row.asset_id), row.observed_at, place(row.location_id)])
        .toSorted(byText),
      positions: positions
        .map((p) => [asset(p.asset_id), p.observed_at, place(p.location_id), p.dwell_started_at])
        .toSorted(byText),
      events: moved
        .map((e) => [asset(e.asset.id), e.occurred_at, place(e.from_location?.id), place(e.to_location.id)])
        .toSorted(byText),
      deliveryIds: new Set(moved.map((e) => e.delivery_id)).size,
    }
  }

  /** All events of an organization in EVENTS. */
  async function eventsOf(orgId: number): Promise<AssetMoved[]> {
    const events: AssetMoved[] = []
    const follower = followStream(bus.broker, {
      stream: 'EVENTS',
      filter: `events.asset-moved.${orgId}`,
      logger: bus.logger,
      onState: (_subject, payload) => void events.push(AssetMoved.parse(payload)),
    })
    await follower.caughtUp
    await follower.stop()
    return events
  }

  async function stop(): Promise<void> {
    await responder.stop()
    await Promise.all([bus.stop(), tracking.stop()])
  }
  return { replica, open, send, overflowing, undelivered, settled, outcome, stop }
}
export type Stage = Awaited<ReturnType<typeof startStage>>

export type Site = { orgId: number; assets: AssetState[]; places: LocationState[] }

const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

const tagOf = (asset: number) => `E280${String(asset).padStart(4, '0')}`
const toRead = ({ asset, antenna, at }: Seen) => ({
  tag: { type: 'rfid', value: tagOf(asset) },
  antenna,
  read_at: new Date(at).toISOString(),
})

type Position = { stream_seq: number }
type StreamDetail = {
  name: string
  state: { last_seq: number }
  consumer_detail?: { name: string; ack_floor: Position }[]
}
type Monitored = { account_details: { stream_detail?: StreamDetail[] }[] }

/**
 * Whether a durable acknowledged all that its stream stored. Compares sequences, because the broker counts a new
 * message as pending only some time after it acknowledged its publication.
 */
async function hasHandledAll(
  monitorUrl: string,
  names: readonly string[],
  durable: string,
): Promise<boolean> {
  const response = await fetch(`${monitorUrl}/jsz?accounts=true&streams=true&consumers=true`)
  const { account_details } = (await response.json()) as Monitored
  const streams = account_details.flatMap(({ stream_detail = [] }) => stream_detail)
  return names.every((place) => {
    const stream = streams.find(({ name }) => name === place)
    const consumer = stream?.consumer_detail?.find(({ name }) => name === durable)
    if (!stream || !consumer) throw new Error(`the broker does not know ${durable} on ${place}`)
    return consumer.ack_floor.stream_seq >= stream.state.last_seq
  })
}
