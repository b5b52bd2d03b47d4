import { openDatabase } from '@whereabouts/db/connect/database'
import { urlAs } from '@whereabouts/db/tenant/service-roles'
import { startOutboxRelay } from '@whereabouts/db/outbox/outbox-relay'
import { connect } from '@whereabouts/messaging/connect/connection'
import { consumePartitions } from '@whereabouts/messaging/consume/consume'
import type { ConsumerMetrics } from '@whereabouts/messaging/consume/consumer'
import { Overflow } from '@whereabouts/messaging/consume/overflow'
import { OwnedPartitions } from '@whereabouts/messaging/partitions/owned'
import { outboxPublish } from '@whereabouts/messaging/messages/publish'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { Kysely, PostgresDialect } from 'kysely'
import type { Tables } from '../../src/db.ts'
import { askCatalogOver, CatalogResolver } from '../../src/catalog/catalog-resolver.ts'
import type { Position } from '../../src/positions/position.ts'
import { CatalogView } from '../../src/catalog/catalog-view.ts'
import { ReaderDirectory } from '../../src/readers/reader-directory.ts'
import { findRightTimes } from '../../src/readers/health/right-times.queries.ts'
import { ReaderHealthLog } from '../../src/readers/health/reader-health.ts'
import { UnknownTagLog } from '../../src/readers/unknown-tags/unknown-tag-log.ts'
import { ingestConsumer, overflowConsumer } from '../../src/ingest/ingest.consumer.ts'
import type { IngestMetrics } from '../../src/ingest/ingest-metrics.ts'
import { Admission } from '../../src/ingest/rate/admission.ts'
import { KeyRates } from '../../src/ingest/rate/key-rates.ts'
import { LastReads } from '../../src/ingest/last-reads.loop.ts'
import { MetadataMatches } from '../../src/rules/settings/metadata-matches.ts'
import { RuleBook } from '../../src/rules/settings/rule-book.ts'
import { Retentions } from '../../src/positions/retention/retentions.ts'
import { RecentMinutes } from '../../src/ingest/places/recent-minutes.ts'

/** The steps at which a process may die, in the order of a message. */
export const steps = [
  'before it is decoded',
  'its asset is known, not yet stored',
  'its rows inserted, not committed',
  'its positions updated, not committed',
  'its events in the outbox, not committed',
  'committed',
  'handled, not acknowledged',
  'acknowledged',
  'its events about to be published',
  'its events published, still in the outbox',
] as const
export type Step = (typeof steps)[number]

export type ReplicaOptions = {
  nats: { url: string; user: string; password: string }
  databaseUrl: string
  /** Called if a step is reached. */
  at?: (step: Step) => void
  metrics?: ConsumerMetrics
}

/** Ingest and the outbox relay, as in main.ts, with their own connections and an empty memory. */
export async function startReplica({ nats, databaseUrl, at = () => undefined, metrics }: ReplicaOptions) {
  const log = createLogger('tracking', 'silent')
  const { pool } = openDatabase<Tables>(urlAs('worker', databaseUrl), { max: 5 })
  const db = watched(new PostgresDialect({ pool }), at)
  const broker = await connect({ ...nats, name: 'replica', logger: log })
  const send = outboxPublish(broker, log)
  const relay = startOutboxRelay({
    pool,
    log,
    publish: async (rows) => {
      at('its events about to be published')
      const stored = await send(rows)
      at('its events published, still in the outbox')
      return stored
    },
  })
  const directory = new ReaderDirectory(db, pool, log)
  await directory.start()
  const view = new CatalogView()
  const health = new ReaderHealthLog(db, log)
  const ingestMetrics: IngestMetrics = {
    resolved: () => at('handled, not acknowledged'),
    stored: () => undefined,
    finished: () => undefined,
    overRate: () => undefined,
    unusable: () => undefined,
    overflowed: () => undefined,
  }
  const deps = {
    db,
    view,
    resolver: new CatalogResolver(view, askCatalogOver(broker)),
    directory,
    health,
    unknownTags: new UnknownTagLog(db, log),
    recent: new WatchedMinutes(at),
    retentionMs: 400 * 86_400_000,
    retentions: new Retentions(),
    findRightTimes: (readers: Parameters<typeof findRightTimes>[1]) => findRightTimes(db, readers),
    metrics: ingestMetrics,
    admission: new Admission({ rates: new KeyRates(), health, metrics: ingestMetrics }),
    wakeOutbox: () => relay.wake(),
    rulesOf: (orgId: number) => directory.rules(orgId),
    book: new RuleBook({
      db,
      view,
      metadata: new MetadataMatches(() => ({ caughtUp: Promise.resolve(), stop: () => undefined })),
      zoneOf: () => 'UTC',
      log,
    }),
  }
  const lastReads = new LastReads(deps)
  const handled: ConsumerMetrics['handled'] = (outcome, count) => {
    metrics?.handled(outcome, count)
    if (outcome === 'ack') at('acknowledged')
  }
  const overflow = new Overflow(broker, { logger: log })
  const consumer = ingestConsumer({ ...deps, lastReads }, overflow)
  const decode: typeof consumer.decode = (message) => {
    at('before it is decoded')
    return consumer.decode(message)
  }
  const ingest = new OwnedPartitions(broker, {
    durable: 'tracking-ingest',
    log,
    consumers: [
      overflow,
      consumePartitions(broker, { ...consumer, decode }, { logger: log, metrics: { handled } }),
      consumePartitions(broker, overflowConsumer({ ...deps, lastReads }, overflow), { logger: log }),
    ],
  })
  return {
    async stop(): Promise<void> {
      await ingest.stop()
      await relay.stop()
      await broker.close()
      await directory.stop()
      await db.destroy()
    },
  }
}

const statements: [RegExp, Step][] = [
  [/insert into scan /, 'its rows inserted, not committed'],
  [/update position /, 'its positions updated, not committed'],
  [/insert into outbox /, 'its events in the outbox, not committed'],
]

const watched = (dialect: PostgresDialect, at: (step: Step) => void) =>
  new Kysely<Tables>({
    dialect,
    log: ({ query }) => {
      for (const [statement, step] of statements) if (statement.test(query.sql)) at(step)
    },
  })

class WatchedMinutes extends RecentMinutes {
  readonly #at: (step: Step) => void

  constructor(at: (step: Step) => void) {
    super()
    this.#at = at
  }

  override isStored(...read: Parameters<RecentMinutes['isStored']>): boolean {
    this.#at('its asset is known, not yet stored')
    return super.isStored(...read)
  }

  override add(stored: readonly Position[]): void {
    this.#at('committed')
    super.add(stored)
  }
}
