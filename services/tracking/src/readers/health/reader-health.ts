import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db.ts'
import type { HealthEvent, IdentityKind } from '../../formats/decoder.ts'
import { readsLost, report } from './device-reports.ts'
import { COUNTS, NO_COUNTS, type HealthEntry, type ReaderCounts } from './health-entry.ts'
import { addHealth, MAX_DISCOVERED, trimDiscovered } from './reader-health.queries.ts'
import { KEPT_MESSAGES } from '@whereabouts/contracts/resources/tracking/reader-messages'
import type { ProblemMessage } from './problem-message.ts'
import type { OverRate } from './org-rate.ts'
import { addHours, addMessage, type Signals } from './reader-hours.ts'
import { clockOf, mergeClocks, type ClockSample } from './reader-clock.ts'
import { heardAs, mergeIdentities } from './reader-identities.ts'
import { addReads, NO_READS } from './recent-reads.ts'
import { WriteBehind } from '../../write-behind.ts'

export type ReaderActivity = Partial<Omit<ReaderCounts, 'reads_lost'>> & {
  seenAtMs: number
  identity?: string | null
  /** Of `identity`. */
  identityKind?: IdentityKind
  problem?: string
  /** The message with the problem. */
  problemMessage?: ProblemMessage | undefined
  /** The rate of its organization, if this message exceeded it, and was dropped or arrives late. */
  overRate?: OverRate
  /** The newest time in the message. */
  newestMs?: number | null
  /** The newest of its times that show a right clock. */
  rightMs?: number | null
  /** What it says about the clock; none if it has no time, or if its time does not count. */
  clock?: ClockSample | undefined
  /** Health reports of the device. */
  health?: readonly HealthEvent[]
  /** Of its reads. */
  signals?: Signals
}

const FLUSH_MS = 1_000
/** Of all organizations. */
const MAX_PENDING = 50_000
/** Of one organization: room for its configured readers and for the discovered readers that are kept. */
const MAX_PENDING_PER_ORG = 2 * MAX_DISCOVERED
/** About 30 000 years. */
const MAX_OFFSET_MS = 1e15

/** Collects the activity of readers in memory and writes it once a second, one row for each reader and some for its hour. */
export class ReaderHealthLog extends WriteBehind<HealthEntry, number[]> {
  constructor(db: Kysely<Tables>, log: Logger) {
    super({
      what: 'reader health',
      log,
      flushMs: FLUSH_MS,
      maxEntries: MAX_PENDING,
      maxPerGroup: MAX_PENDING_PER_ORG,
      nameOf: (entry) => nameOf(entry.org_id, entry.reader_key),
      groupOf: (entry) => entry.org_id,
      merge,
      write: (entries) => addHealth(db, entries),
      cleanUp: async (grown) => {
        if (grown.length > 0) await trimDiscovered(db, grown)
      },
    })
  }

  note(orgId: number, readerKey: string, activity: ReaderActivity): void {
    const entry = this.get(nameOf(orgId, readerKey)) ?? this.add(empty(orgId, readerKey))
    if (!entry) return
    for (const count of COUNTS) if (count !== 'reads_lost') entry[count] += activity[count] ?? 0
    entry.last_seen_ms = Math.max(entry.last_seen_ms, activity.seenAtMs)
    entry.identity = activity.identity ?? entry.identity
    noteTimes(entry, activity)
    if (activity.problem !== undefined) {
      entry.last_problem = activity.problem
      entry.last_problem_ms = activity.seenAtMs
      entry.last_problem_message = activity.problemMessage ?? null
      if (activity.problemMessage) keep(entry.problem_messages, [activity.problemMessage])
    }
    if (activity.overRate !== undefined) {
      entry.last_problem = overRateProblem(entry.messages_over_rate, activity.overRate)
      entry.last_problem_ms = activity.seenAtMs
      entry.last_problem_message = null
    }
    const { newestMs = null } = activity
    const clockOffsetMs = newestMs === null ? null : bounded(newestMs - activity.seenAtMs)
    entry.clock_offset_ms = clockOffsetMs ?? entry.clock_offset_ms
    if (activity.reads !== undefined && activity.reads > 0) {
      const minute = Math.floor(activity.seenAtMs / 60_000)
      Object.assign(
        entry,
        addReads(entry, { rate_minute: minute, rate_reads: activity.reads, rate_before: 0 }),
      )
    }
    if (activity.health !== undefined && activity.health.length > 0) {
      entry.reads_lost += readsLost(activity.health)
      report((entry.device ??= {}), activity.health)
    }
    const { seenAtMs, messages = 0, signals = NO_SIGNALS } = activity
    const isProblem = activity.problem !== undefined || activity.overRate !== undefined
    addMessage(entry.hours, { seenAtMs, messages, isProblem, clockOffsetMs, signals })
  }
}

function noteTimes(entry: HealthEntry, activity: ReaderActivity): void {
  const { seenAtMs, identity, identityKind = 'host_name', rightMs, clock } = activity
  if (identity)
    entry.identities = mergeIdentities(entry.identities, heardAs(identityKind, identity, seenAtMs))
  if (clock) entry.clock = mergeClocks(entry.clock, clockOf(clock))
  if (rightMs === undefined || rightMs === null) return
  entry.right_seen_ms = latest(entry.right_seen_ms, seenAtMs)
  entry.right_newest_ms = latest(entry.right_newest_ms, rightMs)
}

const latest = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : Math.max(a, b))

/** Adds newer messages to older ones. Keeps as many as a reader's list shows. */
function keep(kept: ProblemMessage[], newer: readonly ProblemMessage[]): ProblemMessage[] {
  kept.push(...newer)
  kept.splice(0, kept.length - KEPT_MESSAGES)
  return kept
}

const NO_SIGNALS: Signals = new Map()

const nameOf = (orgId: number, readerKey: string) => `${orgId} ${readerKey}`

/** Adds an older entry of the same reader to `entry`. */
function merge(entry: HealthEntry, older: HealthEntry): void {
  for (const count of COUNTS) entry[count] += older[count]
  Object.assign(entry, addReads(entry, older))
  entry.last_seen_ms = Math.max(entry.last_seen_ms, older.last_seen_ms)
  entry.identity ??= older.identity
  entry.clock_offset_ms ??= older.clock_offset_ms
  entry.right_seen_ms = latest(entry.right_seen_ms, older.right_seen_ms)
  entry.right_newest_ms = latest(entry.right_newest_ms, older.right_newest_ms)
  entry.clock = mergeClocks(older.clock, entry.clock)
  entry.identities = mergeIdentities(older.identities, entry.identities)
  if (entry.last_problem === null) {
    entry.last_problem = older.last_problem
    entry.last_problem_ms = older.last_problem_ms
    entry.last_problem_message = older.last_problem_message
  }
  entry.problem_messages = keep([...older.problem_messages], entry.problem_messages)
  addHours(entry.hours, older.hours)
  if (older.device) entry.device = { ...older.device, ...entry.device }
}

/** `dropped`: messages since the last write, one or two seconds ago. */
function overRateProblem(dropped: number, rate: OverRate): string {
  const messages = dropped === 1 ? '1 message' : `${dropped} messages`
  const { messagesPerSecond, bytesPerSecond, readsPerSecond, keys } = rate
  if (rate.limit === 'reads') {
    const effect = dropped === 0 ? 'Scans arrive late' : `${messages} dropped, others arrive late`
    return `${effect}: more than ${readsPerSecond} reads a second for this organization. Let the readers report each tag less often, or ask the operator for a higher rate.`
  }
  const whose = keys > 1 ? `the ${keys} keys of this organization` : 'this key'
  const limit = `${messagesPerSecond} messages or ${(bytesPerSecond / 1e6).toFixed(1)} MB a second`
  return `${messages} dropped: more than ${limit} for ${whose}. Send several reads in a message of up to 32 KiB.`
}

const bounded = (ms: number) => Math.trunc(Math.max(-MAX_OFFSET_MS, Math.min(MAX_OFFSET_MS, ms)))

const empty = (orgId: number, readerKey: string): HealthEntry => ({
  org_id: orgId,
  reader_key: readerKey,
  last_seen_ms: 0,
  identity: null,
  last_problem: null,
  last_problem_ms: null,
  last_problem_message: null,
  problem_messages: [],
  clock_offset_ms: null,
  right_seen_ms: null,
  right_newest_ms: null,
  clock: null,
  identities: null,
  device: null,
  hours: new Map(),
  ...NO_READS,
  ...NO_COUNTS,
})
