import { message } from '../ingest/warehouse.fixture.ts'
import type { AssetState, LocationState } from '@whereabouts/contracts/messages/catalog-state'
import { openDatabase } from '@whereabouts/db/database'
import { AppError } from '@whereabouts/service-kit/app-error'
import type { Tables } from '../../src/db.ts'
import type { NeutralRead } from '../../src/formats/decoder.ts'
import { inventorySaver } from '../../src/inventory/shared-saves.ts'
import { CatalogResolver } from '../../src/projections/catalog-resolver.ts'
import { CatalogView } from '../../src/projections/catalog-view.ts'
import { insertReader } from '../../src/readers/readers.queries.ts'
import { insertScanPoint } from '../../src/readers/scan-points.queries.ts'
import { log, type Tracking } from '../tracking.fixture.ts'
import { ingestConsumer } from '../../src/ingest/ingest.consumer.ts'
import type { ReaderMessage } from '../../src/ingest/reader-message.ts'
import { RecentMinutes } from '../../src/ingest/recent-minutes.ts'
import { ASSETS, PLACES, REPLICAS, type ChosenRead, type ChosenSave } from './choices.ts'
import { pictureOf, type Picture } from './picture.ts'

const READER = 'portal'
const context = { signal: new AbortController().signal, working: () => undefined }

/** Processes of tracking on one database, each with its own memory. */
export function startReplicas({ url, ingest, catalog }: Tracking) {
  const databases = Array.from({ length: REPLICAS }, () => openDatabase<Tables>(url, { max: 4 }))
  const replicas = databases.map(({ db }) => {
    const view = new CatalogView()
    const resolver = new CatalogResolver(view, catalog.ask)
    return { ...ingest, db, view, resolver, recent: new RecentMinutes() }
  })
  const stop = () => Promise.all(databases.map((database) => database.close()))
  return { replicas, stop }
}
type Replica = ReturnType<typeof startReplicas>['replicas'][number]

/** Each run has its own organization, so that all runs share a database. Instants count from `zero`. */
export async function openWarehouse(
  tracking: Tracking,
  replicas: readonly Replica[],
  orgId: number,
  zero: number,
) {
  const { catalog, db, directory } = tracking
  const assets = Array.from({ length: ASSETS }, (_, i) => catalog.asset(orgId, `Asset ${i}`))
  const tagOf = (asset: number) => `E280${String(asset).padStart(4, '0')}`
  for (const [i, asset] of assets.entries()) catalog.tag(asset, tagOf(i))
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
  await directory.reload(orgId)

  const toMessage = (reads: readonly ChosenRead[]): ReaderMessage => ({
    orgId,
    readerKey: READER,
    receivedAtMs: zero + 600_000,
    received: message(orgId, []),
    decoded: {
      reads: reads.map((read) => toRead(tagOf(read.asset), read, zero)),
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
    picture: (): Promise<Picture> => pictureOf(db, orgId, { assets, places, zero }),
  }
}
export type Warehouse = Awaited<ReturnType<typeof openWarehouse>>

const toRead = (tag_value: string, { antenna, at }: ChosenRead, zero: number): NeutralRead => ({
  antenna: antenna + 1,
  tag_type: 'rfid',
  tag_value,
  rssi_dbm: null,
  read_count: 1,
  read_at_ms: zero + at,
})
