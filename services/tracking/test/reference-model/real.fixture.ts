import { message } from '../ingest/warehouse.fixture.ts'
import type { AssetState, LocationState } from '@whereabouts/contracts/messages/catalog-state'
import { openDatabase } from '@whereabouts/db/connect/database'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import type { Tables } from '../../src/db.ts'
import type { NeutralRead } from '../../src/formats/decoder.ts'
import { inventorySaver } from '../../src/ingest/inventory/shared-saves.ts'
import { CatalogResolver } from '../../src/catalog/catalog-resolver.ts'
import { CatalogView } from '../../src/catalog/catalog-view.ts'
import { insertReader } from '../../src/readers/readers.queries.ts'
import { insertScanPoint } from '../../src/readers/scan-points.queries.ts'
import { log, type Tracking } from '../tracking.fixture.ts'
import { vi } from 'vitest'
import { HEARD_ELSEWHERE_CHANNEL } from '../../src/ingest/places/heard-elsewhere.ts'
import { LastReads } from '../../src/ingest/last-reads.loop.ts'
import type { PlacementRules } from '../../src/positions/rules.ts'
import { setRules } from '../ingest/rules.fixture.ts'
import { ingestConsumer } from '../../src/ingest/ingest.consumer.ts'
import type { ReaderMessage } from '../../src/ingest/reads/reader-message.ts'
import { RecentMinutes } from '../../src/ingest/places/recent-minutes.ts'
import { ASSETS, PLACES, REPLICAS, type ChosenRead, type ChosenSave } from './choices.ts'
import { pictureOf, type Picture } from './picture.ts'

const READER = 'portal'
const context = { signal: new AbortController().signal, working: () => undefined }

/** When the broker received every message. */
const RECEIVED_MS = 600_000
/** When everything that waits is due. */
const DUE_MS = RECEIVED_MS + 10_000

/** Processes of tracking on one database, each with its own memory. They hear of each other as through their directories. */
export async function startReplicas({ url, ingest, catalog }: Tracking, zero: number) {
  const databases = Array.from({ length: REPLICAS }, () => openDatabase<Tables>(url, { max: 4 }))
  const replicas = await Promise.all(
    databases.map(async ({ db, pool }) => {
      const view = new CatalogView()
      const resolver = new CatalogResolver(view, catalog.ask)
      const deps = {
        ...ingest,
        db,
        view,
        resolver,
        recent: new RecentMinutes(),
        now: () => zero + RECEIVED_MS,
      }
      const lastReads = new LastReads(deps)
      const carrier = new LastReads({ ...deps, now: () => zero + DUE_MS })
      const client = await pool.connect()
      const heard: string[] = []
      client.on('notification', ({ channel, payload = '' }) =>
        channel === SYNC ? heard.push(payload) : lastReads.hear(payload),
      )
      await client.query(`listen ${HEARD_ELSEWHERE_CHANNEL}`)
      await client.query(`listen ${SYNC}`)
      Object.assign(deps, { lastReads })
      return { ...deps, lastReads, carrier, client, heard }
    }),
  )
  let syncs = 0
  /** Each replica has heard all that was told before, and has stored what it had dropped. Twice, because that is told too. */
  const settle = async () => {
    for (const _ of [1, 2]) {
      syncs += 1
      const sync = String(syncs)
      await databases[0]?.pool.query('select pg_notify($1, $2)', [SYNC, sync])
      for (const { heard, lastReads } of replicas) {
        await vi.waitUntil(() => heard.includes(sync), { timeout: 10_000, interval: 1 })
        await lastReads.turn()
      }
    }
  }
  const stop = async () => {
    for (const { client } of replicas) client.release(true)
    await Promise.all(databases.map((database) => database.close()))
  }
  return { replicas: Object.assign(replicas, { settle }), stop }
}
type Replica = Awaited<ReturnType<typeof startReplicas>>['replicas'][number]
type Replicas = readonly Replica[] & { settle: () => Promise<void> }
const SYNC = 'sync_of_test'

/** Each run has its own organization, so that all runs share a database. Instants count from `zero`. */
export async function openWarehouse(
  tracking: Tracking,
  replicas: Replicas,
  orgId: number,
  { zero, rules }: { zero: number; rules: PlacementRules },
) {
  const { catalog, db } = tracking
  const assets = Array.from({ length: ASSETS }, (_, i) => catalog.asset(orgId, `Asset ${i}`))
  for (const [i, asset] of assets.entries()) {
    catalog.tag(asset, tagOf(i))
    catalog.tag(asset, beaconOf(i), { tag_type: 'ble' })
  }
  const places = Array.from({ length: PLACES }, (_, i) => catalog.location(orgId, `Place ${i}`))
  await tracking.project()
  const hear = (replica: number) => replicas[replica]?.resolver.apply(catalog)
  for (const replica of replicas.keys()) hear(replica)
  const unset = {
    name: 'Portal',
    format: 'canonical',
    timezone: null,
    time_source: 'reader',
    mapping: null,
  } as const
  const reader = await insertReader(db, orgId, { reader_key: READER, ...unset })
  for (const [i, location_id] of [null, ...places.map(({ id }) => id)].entries())
    await insertScanPoint(db, orgId, {
      reader_id: reader?.id ?? 0,
      antenna: i + 1,
      name: 'antenna',
      location_id,
    })
  await setRules(tracking, rules, orgId)

  const toMessage = (reads: readonly ChosenRead[]): ReaderMessage => ({
    orgId,
    readerKey: READER,
    receivedAtMs: zero + RECEIVED_MS,
    received: message(orgId, []),
    decoded: {
      reads: reads.map((read) => toRead(read, zero)),
      identity: null,
      health: [],
      errors: [],
      errors_omitted: 0,
      isDeadLetter: false,
    },
  })

  return {
    hear,
    async ingest(replica: number, messages: readonly (readonly ChosenRead[])[]): Promise<void> {
      const deps = replicas[replica]
      if (deps) await ingestConsumer(deps).handle(messages.map(toMessage), context)
    },
    async carry(chosen: readonly number[]): Promise<void> {
      await Promise.all(chosen.flatMap((replica) => replicas[replica]?.carrier.turn() ?? []))
    },
    /** True if it was accepted. */
    async save({ replica, assets: chosen, place, at }: ChosenSave): Promise<boolean> {
      const deps = replicas[replica]
      const location_identifier = places[place]?.external_key ?? ''
      const asset_identifiers = chosen.map((asset) => assets[asset]?.external_key ?? '')
      if (!deps) return false
      const now = () => zero + at
      const save = inventorySaver({ ...deps, db: tracking.tenants, ask: catalog.ask, log, now })
      return save(orgId, { asset_identifiers, location_identifier }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof AppError && error.type === 'validation_error') return false
          throw error
        },
      )
    },
    delete(what: 'asset' | 'place', which: number): void {
      const thing: AssetState | LocationState | undefined = (what === 'asset' ? assets : places)[which]
      if (thing?.deleted_at === null) catalog.change(thing, { deleted_at: new Date(zero).toISOString() })
    },
    things: { assets, places },
    async picture(): Promise<Picture> {
      await replicas.settle()
      return pictureOf(db, orgId, { assets, places, zero })
    },
  }
}
export type Warehouse = Awaited<ReturnType<typeof openWarehouse>>

const tagOf = (asset: number) => `E280${String(asset).padStart(4, '0')}`
const beaconOf = (asset: number) => `C0FFEE0000${String(asset).padStart(2, '0')}`

/** Beacons are not judged. */
const toRead = ({ asset, antenna, at, rssi, isJudged }: ChosenRead, zero: number): NeutralRead => ({
  antenna: antenna + 1,
  tag_type: isJudged ? 'rfid' : 'ble',
  tag_value: isJudged ? tagOf(asset) : beaconOf(asset),
  rssi_dbm: rssi,
  read_count: 1,
  read_at_ms: zero + at,
})
