import type { Principal } from '@whereabouts/contracts/principal'
import { fileURLToPath } from 'node:url'
import type { AttachTag, AttachTagReply } from '@whereabouts/contracts/messages/attach-tag'
import type { CatalogLookup, CatalogLookupReply } from '@whereabouts/contracts/messages/catalog-lookup'
import type { AssetState, LocationState, TagState } from '@whereabouts/contracts/messages/catalog-state'
import { API_PREFIX } from '@whereabouts/contracts/routes'
import { matchValue, matchValues } from '@whereabouts/contracts/resources/catalog/tag-matching'
import { openTenantDatabase, type TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { listenTo } from '@whereabouts/messaging/messages/listen'
import { scansSince } from '@whereabouts/messaging/partitions/scans-since'
import { publish } from '@whereabouts/messaging/messages/publish'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createRegistry } from '@whereabouts/service-kit/observe/metrics'
import { testCallers } from '@whereabouts/testing/caller'
import { openEvents } from '@whereabouts/testing/event-stream'
import { createServiceDatabase } from '@whereabouts/testing/database/database'
import { test as base } from 'vitest'
import type { Tables } from '../src/db.ts'
import { maintainPartitions } from '../src/positions/partitions/partitions.loop.ts'
import { plannerSettings } from '@whereabouts/db/tenant/planner'
import { ChannelsStandIn } from './rules/channels.ts'
import { wire } from '../src/app.ts'
import type { FollowAssets } from '../src/rules/settings/metadata-matches.ts'
import { CatalogUnavailable } from '../src/catalog/catalog-resolver.ts'
import { upsertAssets, upsertLocations, upsertTags } from '../src/catalog/projections.queries.ts'

export const log = createLogger('tracking', 'silent')
export const migrations = fileURLToPath(new URL('../migrations', import.meta.url))
const LONG_AGO = '2020-01-01T00:00:00.000Z'

/**
 * A fake catalog: states to apply, and answers to requests over the broker.
 * `isUnreachable` makes its requests fail.
 */
export class CatalogStandIn {
  assets: AssetState[] = []
  locations: LocationState[] = []
  tags: TagState[] = []
  requests: CatalogLookup[] = []
  isUnreachable = false
  #next = 1000

  asset(orgId: number, name: string, changes: Partial<AssetState> = {}): AssetState {
    const id = (this.#next += 1)
    const asset = { ...entity(orgId, id, name), type: 'asset', metadata: {}, ...changes }
    this.assets.push(asset)
    return asset
  }

  location(orgId: number, name: string, changes: Partial<LocationState> = {}): LocationState {
    const id = (this.#next += 1)
    const location = { ...entity(orgId, id, name), parent_id: null, ...changes }
    this.locations.push(location)
    return location
  }

  tag(asset: AssetState, value: string, changes: Partial<TagState> = {}): TagState {
    const id = (this.#next += 1)
    const owner = { asset_id: asset.id, location_id: null, created_at: LONG_AGO, deleted_at: null }
    const tag = { org_id: asset.org_id, id, revision: id, tag_type: 'rfid', value, ...owner, ...changes }
    this.tags.push(tag)
    return tag
  }

  /** Catalog's reply to a request to attach a tag to a live asset or location, by id or by key. */
  attachTag = async (wanted: AttachTag): Promise<AttachTagReply> => {
    if (this.isUnreachable) throw new CatalogUnavailable('catalog is not reachable')
    const { org_id, tag_type, value } = wanted
    const asset = this.assets.find(
      (a) =>
        a.org_id === org_id && (a.id === wanted.asset_id || a.external_key === wanted.asset_external_key),
    )
    if (!asset) return { refused: { type: 'conflict', detail: 'no such asset here' } }
    const known = this.tags.find((t) => t.asset_id === asset.id && t.value === value)
    const tag = known ?? this.tag(asset, value, { tag_type })
    return { tag, owner_external_key: asset.external_key }
  }

  /** The states of now. Later ones come with `project`, as the table has them. */
  follow: FollowAssets = (orgId, { onState }) => {
    for (const asset of this.assets) if (asset.org_id === orgId) onState(asset)
    return { caughtUp: Promise.resolve(), stop: () => undefined }
  }

  /** A later state of the same resource. */
  change<T extends AssetState | LocationState>(thing: T, changes: Partial<T>): void {
    Object.assign(thing, changes, { revision: thing.revision + 1_000 })
  }

  ask = async (question: CatalogLookup): Promise<CatalogLookupReply> => {
    if (this.isUnreachable) throw new CatalogUnavailable('catalog is not reachable')
    this.requests.push(question)
    const ours = <T extends { org_id: number }>(list: T[]) => list.filter((x) => x.org_id === question.org_id)
    const tags = ours(this.tags).filter((t) =>
      question.tags?.some(
        (q) =>
          q.tag_type === t.tag_type &&
          matchValues(q.tag_type, q.value).includes(matchValue(t.tag_type, t.value)),
      ),
    )
    const { asset_keys } = question
    const keys = new Set(asset_keys)
    const byKey = (a: AssetState) => a.deleted_at === null && keys.has(a.external_key)
    return {
      tags,
      ...(asset_keys && { assets_by_key: ours(this.assets).filter(byKey) }),
      assets: ours(this.assets).filter(
        (a) => question.asset_ids?.includes(a.id) || tags.some((t) => t.asset_id === a.id),
      ),
      locations: ours(this.locations).filter(
        (l) =>
          question.location_ids?.includes(l.id) ||
          (l.deleted_at === null && question.location_keys?.includes(l.external_key)),
      ),
    }
  }
}

function entity(orgId: number, id: number, name: string) {
  return {
    org_id: orgId,
    id,
    revision: id,
    external_key: name.toUpperCase().replaceAll(' ', '-'),
    name,
    description: null,
    is_active: true,
    valid_from: LONG_AGO,
    valid_to: null,
    created_at: LONG_AGO,
    updated_at: LONG_AGO,
    deleted_at: null,
  }
}

/** `through` changes the database that requests use. */
export async function startTracking(
  through: (db: TenantDatabase<Tables>) => TenantDatabase<Tables> = (db) => db,
) {
  const database = await createServiceDatabase<Tables>('tracking', migrations)
  const { db } = database
  const { worker } = database
  const tenants = openTenantDatabase<Tables>(database.url, {
    max: 10,
    name: 'tracking',
    settings: plannerSettings,
    prepared: false,
  })
  await maintainPartitions({ owner: db, retentionDays: 400, log })
  const catalog = new CatalogStandIn()
  const registry = createRegistry('tracking')
  const callers = testCallers('tracking')
  const clock: { stoppedAt?: number } = {}
  const channels = new ChannelsStandIn()
  const brokers: { current?: Broker } = {}
  const heard = new Set<string>()
  const readerUses = new Map<string, string>()
  const {
    app,
    book,
    metadata,
    ingest,
    lastReads,
    rates,
    retentions,
    view,
    resolver,
    directory,
    health,
    unknownTags,
  } = wire({
    tenants: through(tenants),
    longReads: through(tenants),
    worker,
    retentionDays: 400,
    ask: catalog.ask,
    askToAttach: catalog.attachTag,
    publishRead: async (message) => {
      if (!brokers.current) throw new Error('this test has no broker')
      return publish(brokers.current, message)
    },
    readBack: (orgId, since) => {
      if (!brokers.current) throw new Error('this test has no broker')
      return scansSince(brokers.current, { orgId, since, batchSize: 10 })
    },
    hear: (subject, onMessage) => {
      if (!brokers.current) throw new Error('this test has no broker')
      const stop = listenTo(brokers.current, subject, onMessage)
      heard.add(subject)
      return () => {
        heard.delete(subject)
        stop()
      }
    },
    askReaderUse: async (orgId, readerKey) => readerUses.get(`${orgId} ${readerKey}`) ?? null,
    wakeOutbox: () => undefined,
    wakeExports: () => undefined,
    wakeExportPurge: () => undefined,
    wakeRules: () => undefined,
    channels,
    followAssets: catalog.follow,
    nameCaller: async ({ kind, userId }) => ({
      type: kind === 'key' ? 'key' : 'user',
      id: userId ?? null,
      name: 'Ada',
    }),
    verify: callers.verify,
    now: () => clock.stoppedAt ?? Date.now(),
    log,
    registry,
  })
  await directory.start()

  return {
    ...database,
    /** For requests without a caller. */
    app,
    /** The database of requests. */
    tenants,
    registry,
    catalog,
    channels,
    /** The clock of saves. */
    clock,
    /** The broker of test reads; none unless the test sets it. */
    brokers,
    /** When a device used a key that is bound to a reader, by organization and reader key. */
    readerUses,
    /** Subjects that are heard now. */
    heard,
    directory,
    health,
    unknownTags,
    view,
    book,
    metadata,
    ingest,
    rates,
    retentions,
    lastReads,
    /** Applies catalog's states to the projection tables and the view, as the CATALOG stream would. */
    async project(): Promise<void> {
      await upsertAssets(worker.db, catalog.assets)
      await upsertLocations(worker.db, catalog.locations)
      await upsertTags(worker.db, catalog.tags)
      resolver.apply({ assets: catalog.assets, locations: catalog.locations, tags: catalog.tags })
    },
    async call(
      method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
      path: string,
      options: {
        orgId?: number
        userId?: number
        /** Further members of the principal. */
        as?: Partial<Principal>
        body?: unknown
        /** Sent unchanged, in place of `body`. */
        bytes?: Buffer | string
        base?: string
        accept?: string
        headers?: Record<string, string>
      } = {},
    ) {
      const { accept, orgId = 1, userId = 1 } = options
      const caller = await callers.headersFor({ orgId, userId, ...options.as })
      const headers = { ...caller, ...(accept !== undefined && { accept }), ...options.headers }
      const sent = options.bytes ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
      const payload = sent === undefined ? {} : { payload: sent }
      return app.inject({ method, url: `${options.base ?? API_PREFIX}${path}`, headers, ...payload })
    },
    /** Opens a stream of events. */
    async open(path: string, { orgId = 1, userId = 1, ...as }: Partial<Principal> = {}) {
      const origin = app.server.listening
        ? app.listeningOrigin
        : await app.listen({ host: '127.0.0.1', port: 0 })
      return openEvents(`${origin}${API_PREFIX}${path}`, await callers.headersFor({ orgId, userId, ...as }))
    },
    async stop(): Promise<void> {
      await app.close()
      await directory.stop()
      await tenants.close()
      await database.drop()
    },
  }
}

export type Tracking = Awaited<ReturnType<typeof startTracking>>

/** Tracking on a database of its own, without a broker. */
export const test = base.extend<{ tracking: Tracking }>({
  // oxlint requires the first argument to be a pattern, as vitest reads the needed fixtures from it.
  tracking: async ({}, use) => {
    const tracking = await startTracking()
    await use(tracking)
    await tracking.stop()
  },
})
