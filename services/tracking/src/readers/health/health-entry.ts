import type { DeviceReports } from './device-reports.ts'
import type { ProblemMessage } from './problem-message.ts'
import type { ReaderClock } from './reader-clock.ts'
import type { ReaderHours } from './reader-hours.ts'
import type { Identities } from './reader-identities.ts'
import type { RecentReads } from './recent-reads.ts'

/** Counters of a reader. They are statistics: a crash loses at most the last second, and a redelivery counts twice. */
export const NO_COUNTS = {
  messages: 0,
  reads: 0,
  reads_unknown_tag: 0,
  reads_unplaced: 0,
  reads_clock_skewed: 0,
  reads_late: 0,
  reads_too_weak: 0,
  reads_outvoted: 0,
  reads_lost: 0,
  read_errors: 0,
  messages_buried: 0,
  messages_over_rate: 0,
}
export type ReaderCounts = typeof NO_COUNTS
export const COUNTS = Object.keys(NO_COUNTS) as (keyof ReaderCounts)[]

/** The activity of one reader since the last write. */
export type HealthEntry = ReaderCounts &
  RecentReads & {
    org_id: number
    reader_key: string
    last_seen_ms: number
    identity: string | null
    last_problem: string | null
    last_problem_ms: number | null
    last_problem_message: ProblemMessage | null
    /** Oldest first. */
    problem_messages: ProblemMessage[]
    clock_offset_ms: number | null
    right_seen_ms: number | null
    right_newest_ms: number | null
    clock: ReaderClock | null
    identities: Identities | null
    device: DeviceReports | null
    hours: ReaderHours
  }
