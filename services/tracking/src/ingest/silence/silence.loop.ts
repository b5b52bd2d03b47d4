import { readerOnline, readerSilent, type ReaderEvent } from '@whereabouts/contracts/messages/reader-events'
import { enqueueAll, queued, type Queued } from '@whereabouts/db/outbox/outbox'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Kysely } from 'kysely'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import type { Tables } from '../../db.ts'
import { newestCanary } from '../canary/canary.queries.ts'
import { aboutPlaces } from '../../catalog/about-places.ts'
import { eventId } from '../../event-ids.ts'
import { noteChanges, type ChangedReader } from './silence.queries.ts'

type Options = {
  db: Kysely<Tables>
  view: CatalogView
  /** Called after a commit that put events into the outbox. */
  wakeOutbox: () => void
  log: Logger
  registry?: Registry
  everyMs?: number
}

/** Readers whose events share a transaction. */
const AT_ONCE = 500

/**
 * Says which readers went silent, and which of those were heard again (D13.1). Safe in several processes. A turn judges as of
 * the canary that the turn before it read, because ingest writes the health of readers a second or two after their reads.
 */
export function startReaderSilence({ everyMs = 15_000, log, registry, ...deps }: Options): BackgroundJob {
  let untilMs: number | undefined
  return startBackgroundJob(
    { name: 'reader-silence', everyMs, log, registry, maxShare: 1 / 50 },
    async () => {
      const newestMs = await newestCanary(deps.db)
      while ((await tellChanges(deps, untilMs)) === AT_ONCE);
      untilMs = newestMs
    },
  )
}

/** Queues the events of up to `AT_ONCE` readers in the transaction that notes the changes. Returns how many. */
export async function tellChanges(
  { db, view, wakeOutbox }: Pick<Options, 'db' | 'view' | 'wakeOutbox'>,
  untilMs: number | undefined,
): Promise<number> {
  const count = await db.transaction().execute(async (tx) => {
    const readers = await noteChanges(tx, untilMs, AT_ONCE)
    await enqueueAll(
      tx,
      readers.flatMap((reader) => messageOf(reader, view, untilMs)),
    )
    return readers.length
  })
  if (count > 0) wakeOutbox()
  return count
}

/** Ids are derived, so that a change that is found again after a restore has the same one. */
function messageOf(reader: ChangedReader, view: CatalogView, untilMs: number | undefined): Queued[] {
  const { org_id, id, reader_key, name, location_ids } = reader
  const last_seen = new Date(reader.last_seen_at).toISOString()
  const isLive = (location: number) => view.location(org_id, location)?.deleted !== true
  const places = location_ids.filter(isLive)
  const event = (what: 'silent' | 'online', since: string, occurred_at: string): ReaderEvent => ({
    delivery_id: eventId('reader', org_id, id, what, Date.parse(since)),
    org_id,
    occurred_at,
    reader: { id, reader_key, name },
    last_seen,
    ...(places.length > 0 && { about: aboutPlaces(view, org_id, places) }),
  })
  if (reader.before !== null) return queued(readerOnline, [event('online', reader.before, last_seen)])
  return queued(readerSilent, [event('silent', last_seen, new Date(untilMs ?? 0).toISOString())])
}
