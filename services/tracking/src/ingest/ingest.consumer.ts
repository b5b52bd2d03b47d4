import { isDatabaseOutage } from '@whereabouts/db/outage'
import type { BatchConsumer } from '@whereabouts/messaging/consumer'
import type { Kysely } from 'kysely'
import type { Tables } from '../db.ts'
import { CatalogUnavailable } from '../projections/catalog-lookup.ts'
import type { ReaderHealthLog } from '../readers/reader-health.ts'
import type { UnknownTagLog } from '../unknown-tags/unknown-tag-log.ts'
import type { IngestMetrics } from './ingest-metrics.ts'
import { withNames } from './names.ts'
import { decodeReaderMessage, type ReaderMessage } from './reader-message.ts'
import type { RecentMinutes } from './recent-minutes.ts'
import { noteNews, resolve, type ResolveDeps } from './resolve.ts'
import { store } from './store.ts'
import { storeInParts } from './store-in-parts.ts'

export type IngestDeps = ResolveDeps & {
  db: Kysely<Tables>
  health: ReaderHealthLog
  unknownTags: UnknownTagLog
  recent: RecentMinutes
  metrics: IngestMetrics
  /** Called after a commit that put movements into the outbox. */
  kick(): void
}

/**
 * Reader messages to history, positions and movements. A database or a catalog that is away is an outage: the
 * messages are held and nothing is called unknown that might exist.
 */
export const ingestConsumer = (deps: IngestDeps): BatchConsumer<ReaderMessage> => ({
  durable: 'tracking-ingest',
  maxMessages: 500,
  maxBytes: 4 * 1024 * 1024, // some 40 000 reads: what is kept in memory, and in one transaction, is bounded
  maxWaitMs: 5,
  retryDelaysMs: [1_000, 5_000, 30_000],
  isOutage: (error) => error instanceof CatalogUnavailable || isDatabaseOutage(error),
  decode: (message) => decodeReaderMessage(message, deps),
  async handle(messages, { signal }) {
    const resolved = await resolve(messages, deps, signal)
    const fresh = deps.recent.fresh(resolved.observations)
    if (fresh.length > 0) {
      const stored = await storeInParts(fresh, (part) =>
        withNames(deps.gaps, (naming) => store(deps.db, deps.view, part, naming), signal),
      )
      deps.recent.add(fresh)
      if (stored.movements > 0) deps.kick()
      deps.metrics.stored(stored)
    }
    deps.metrics.finished(messages)
    noteNews(deps, resolved)
    deps.metrics.resolved(resolved, fresh.length)
  },
})
