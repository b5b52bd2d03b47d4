import { isDatabaseOutage } from '@whereabouts/db/connect/outage'
import type { BatchConsumer, HandleContext } from '@whereabouts/messaging/consume/consumer'
import type { IncomingMessage } from '@whereabouts/messaging/messages/delivery'
import type { Kysely } from 'kysely'
import { CANARY_SUBJECT, canaryOf, type Canary } from './canary/canary.ts'
import { storeCanary } from './canary/canary.queries.ts'
import type { Tables } from '../db.ts'
import type { Overflow } from '@whereabouts/messaging/consume/overflow'
import { CatalogUnavailable, type CatalogResolver } from '../catalog/catalog-resolver.ts'
import type { ReaderHealthLog } from '../readers/health/reader-health.ts'
import type { UnknownTagLog } from '../readers/unknown-tags/unknown-tag-log.ts'
import type { LastReads } from './last-reads.loop.ts'
import type { IngestMetrics } from './ingest-metrics.ts'
import { withDays } from '../positions/partitions/missing-days.ts'
import type { Observation } from '../positions/observation.ts'
import { commitWithNames, type InTransaction } from './rows/names.ts'
import type { Admission } from './rate/admission.ts'
import { decodeCopy, decodeReaderMessage, type ReaderMessage } from './reads/reader-message.ts'
import { readerSubject } from './reads/reader-subject.ts'
import type { RecentMinutes } from './places/recent-minutes.ts'
import { recordReaderActivity, resolve, type ResolveDeps } from './places/resolve.ts'
import type { StoreDeps } from './rows/decide-all.ts'
import { storeScans } from './rows/store.ts'
import { storeInParts } from './rows/store-in-parts.ts'

export type IngestDeps = ResolveDeps &
  StoreDeps & {
    db: Kysely<Tables>
    health: ReaderHealthLog
    unknownTags: UnknownTagLog
    recent: RecentMinutes
    resolver: CatalogResolver
    metrics: IngestMetrics
    lastReads: Pick<LastReads, 'defer'>
    admission: Pick<Admission, 'admitScan' | 'admitCopy' | 'charge' | 'isOverReads'>
    /** Called after a commit that put movements into the outbox. */
    wakeOutbox: () => void
  }

/** Bounds memory and transactions: about 40 000 reads. */
const BATCH = { maxMessages: 500, maxBytes: 4 * 1024 * 1024 }

type IngestMessage = ReaderMessage | Canary

/** The organization; 0 for a canary, so that it waits behind nobody's messages; empty for a subject that is not a scan's, whose message becomes a dead letter. */
const groupOf = ({ subject }: { subject: string }) =>
  subject === CANARY_SUBJECT ? '0' : String(readerSubject(subject)?.orgId ?? '')

/**
 * Turns reader messages into history, positions and movements. If the database or catalog is not reachable, it holds
 * the messages: then no existing tag counts as unknown.
 */
export const ingestConsumer = (deps: IngestDeps, overflow?: Overflow): BatchConsumer<IngestMessage> => ({
  ...BATCH,
  ...ofScans(deps),
  durable: 'tracking-ingest',
  maxWaitMs: 0,
  fair: {
    groupOf,
    admit: (message) => deps.admission.admitScan(message, overflow),
    mustWait: ({ subject, receivedAt }) =>
      deps.admission.isOverReads(readerSubject(subject)?.orgId ?? 0, receivedAt),
    ...(overflow && { overflow }),
  },
})

/** Small, so that messages of other organizations wait only some milliseconds for one batch. */
const OVERFLOW_BATCH = { maxMessages: 250, maxBytes: 256 * 1024 }
/** Reads beyond the rate of their organization get a quarter of the time, also while nobody else sends. */
const RESTS_PER_WORK = 3

/**
 * Handles messages beyond the share of their organization, in the time that the others leave. They were admitted
 * before. They are late by design and not counted as late: a flood must not use up the error budget of all.
 */
export function overflowConsumer(deps: IngestDeps, overflow: Overflow): BatchConsumer<IngestMessage> {
  const scans = ofScans({ ...deps, metrics: { ...deps.metrics, finished: () => undefined } })
  /** For the batch before, and for decoding this one. */
  let workedMs = 0
  return {
    ...OVERFLOW_BATCH,
    ...scans,
    durable: 'tracking-overflow',
    maxWaitMs: 5,
    fair: { groupOf },
    decode(message) {
      const begun = performance.now()
      const decoded = scans.decode(message)
      workedMs += performance.now() - begun
      return decoded
    },
    async handle(messages, context) {
      const isCostly = messages.some(
        (message) => 'decoded' in message && deps.admission.isOverReads(message.orgId, message.receivedAtMs),
      )
      await overflow.turn(
        messages.map(({ orgId }) => String(orgId)),
        context.signal,
        isCostly ? RESTS_PER_WORK * workedMs : 0,
      )
      const begun = performance.now()
      await scans.handle(messages, context)
      workedMs = performance.now() - begun
    },
  }
}

const ofScans = (deps: IngestDeps) => ({
  isOutage,
  decode(message: IncomingMessage): IngestMessage {
    const canary = canaryOf(message)
    if (canary) return canary
    const decoded = decodeReaderMessage(message, deps)
    if (message.deliveryCount === 1) deps.admission.charge(decoded)
    return decoded
  },
  async handle(all: readonly IngestMessage[], { signal }: Pick<HandleContext, 'signal'>) {
    const messages = all.filter((message) => 'decoded' in message)
    if (messages.length > 0) {
      const { resolved, outvoted, fresh } = await storeMessages(messages, deps, signal)
      deps.metrics.finished(messages)
      recordReaderActivity(deps, resolved)
      recordOutvoted(deps, outvoted)
      deps.metrics.resolved(resolved, { fresh, outvoted: outvoted.length })
    }
    // Last: a canary is stored once the reads around it are.
    const canaries = all.filter((message) => !('decoded' in message))
    if (canaries.length > 0)
      await storeCanary(deps.db, Math.max(...canaries.map(({ receivedAtMs }) => receivedAtMs)))
  },
})

/** After this delay, `ingestConsumer` has stored nearly every read, so that `RecentMinutes` drops it. */
const COPY_WAIT_MS = 250

/**
 * Stores scans from the broker's copies of MQTT messages. The broker acknowledges an MQTT message once it has this
 * copy, and SCANS misses the message while it has no leader. Usually SCANS has it. So only `ingestConsumer` counts
 * reads and keeps reader health and dead letters.
 */
export const mqttCopyConsumer = (deps: IngestDeps): BatchConsumer<ReaderMessage | undefined> => ({
  ...BATCH,
  durable: 'tracking-ingest-mqtt',
  maxWaitMs: COPY_WAIT_MS,
  alwaysWaits: true,
  isOutage,
  fair: { groupOf, admit: deps.admission.admitCopy },
  decode: (message) => decodeCopy(message, deps),
  async handle(messages, { signal }) {
    const readable = messages.filter((message) => message !== undefined)
    if (readable.length > 0) await storeMessages(readable, deps, signal)
  },
})

const isOutage = (error: unknown) => error instanceof CatalogUnavailable || isDatabaseOutage(error)

async function storeMessages(messages: readonly ReaderMessage[], deps: IngestDeps, signal: AbortSignal) {
  const resolved = await resolve(messages, deps, signal)
  const observations = resolved.observations.filter((read) => !deps.lastReads.defer(read, deps.recent))
  let [outvoted, fresh]: [Observation[], number] = [[], 0]
  if (observations.length > 0) {
    const stored = await storeInParts(observations, (part) => storePart(part, deps, signal))
    deps.recent.add(stored.positions)
    if (stored.movements > 0) deps.wakeOutbox()
    deps.metrics.stored(stored)
    ;({ outvoted, rows: fresh } = stored)
  }
  return { resolved, outvoted, fresh }
}

function storePart(part: readonly Observation[], deps: IngestDeps, signal: AbortSignal) {
  const { db, resolver } = deps
  const instants = part.map(({ observedAtMs }) => observedAtMs)
  const inTransaction: InTransaction = (work) => withDays(db, instants, () => db.transaction().execute(work))
  return commitWithNames(resolver, inTransaction, (tx) => storeScans(tx, deps, part), signal)
}

/** Reads that were set aside count at their readers. */
function recordOutvoted({ health }: IngestDeps, outvoted: readonly Observation[]): void {
  for (const { orgId, readerKey } of outvoted)
    if (readerKey !== null) health.note(orgId, readerKey, { seenAtMs: 0, reads_outvoted: 1 })
}
