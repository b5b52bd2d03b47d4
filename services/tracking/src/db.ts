import type { ReaderMessageProblem } from '@whereabouts/contracts/resources/tracking/reader-messages'
import type { ReaderMapping } from '@whereabouts/contracts/resources/tracking/reader-mapping'
import type {
  ExportDataset,
  ExportFormat,
  ExportStatus,
} from '@whereabouts/contracts/resources/tracking/exports'
import type { TimeSource } from '@whereabouts/contracts/resources/tracking/readers'
import type { OutboxTable } from '@whereabouts/db/outbox/outbox'
import type { DeviceReports } from './readers/health/device-reports.ts'
import type {
  RuleKind,
  RuleParams,
  RuleProblem,
  RuleSchedule,
  RuleScope,
  Severity,
} from '@whereabouts/contracts/resources/rules/rules'
import type { AlertNotice } from '@whereabouts/contracts/messages/alerts/alert-notices'
import type { StoredChat, StoredNotify } from './rules/settings/stored-notify.ts'
import type { ResolvedBecause } from '@whereabouts/contracts/resources/rules/alerts'
import type { Evidence, Outvoted } from './positions/evidence.ts'
import type { ReaderClock } from './readers/health/reader-clock.ts'
import type { Identities } from './readers/health/reader-identities.ts'
import type { Generated, GeneratedAlways, Kysely, Transaction } from 'kysely'

type Entity = { org_id: number; id: number; revision: number; deleted_at: string | null }

export type Tables = {
  asset: Entity & {
    external_key: string
    name: string
    valid_from: string
    valid_to: string | null
    /** Triggers keep it, `asset_place` and the validity in `position`: see migration 0004. */
    is_scanned: Generated<boolean>
    home_location_id: Generated<number | null>
    search_text: GeneratedAlways<string>
  }
  location: Entity & { external_key: string; name: string }
  tag: Entity & {
    tag_type: string
    value: string
    asset_id: number | null
    location_id: number | null
    created_at: string
    search_text: GeneratedAlways<string>
  }
  reader: {
    org_id: number
    id: Generated<number>
    reader_key: string
    name: string
    format: string
    timezone: string | null
    mapping: ReaderMapping | null
    time_source: Generated<TimeSource>
    created_at: Generated<string>
    /** See migration 0131. */
    silent_since: Generated<string | null>
  }
  scan_point: {
    org_id: number
    id: Generated<number>
    reader_id: number
    antenna: number
    name: string
    location_id: number | null
    min_rssi_dbm: number | null
    rssi_offset_db: Generated<number>
  }
  /** See migration 0110. */
  placement_rules: {
    org_id: number
    passages: 'next_observation' | 'carry'
    tag_types: string[]
    margin_db: number
    exit_delay_seconds: number
    min_rssi_dbm: number | null
  }
  /** See migration 0111. */
  scan_point_change: {
    org_id: number
    reader_key: string
    antenna: number
    changed_at: string
    scan_point_id: number | null
    location_id: number | null
  }
  reader_health: {
    org_id: number
    reader_key: string
    last_seen_at: string
    identity: string | null
    messages: number
    reads: number
    reads_unknown_tag: number
    reads_unplaced: number
    reads_clock_skewed: number
    read_errors: number
    messages_buried: number
    messages_over_rate: Generated<number>
    reads_late: Generated<number>
    reads_too_weak: Generated<number>
    reads_outvoted: Generated<number>
    last_problem: string | null
    last_problem_at: string | null
    reads_lost: Generated<number>
    clock_offset_ms: number | null
    /** Usual time between two messages of the reader; null until it was heard twice. */
    usual_pause_ms: number | null
    /** See `recent-reads.ts`. */
    rate_minute: Generated<number>
    rate_reads: Generated<number>
    rate_before: Generated<number>
    device: DeviceReports | null
    /** The start of the message of the last problem; null if there is none, or the problem has no message. */
    last_problem_message: string | null
    /** When the newest message with a right time was received, and the newest right time (ADR 87). */
    right_seen_at: string | null
    right_newest_at: string | null
    clock: ReaderClock | null
    identities: Identities | null
  }
  /** See migrations 0080 and 0091. */
  reader_hour: {
    org_id: number
    reader_key: string
    hour: string
    antenna: number
    messages: number
    problems: number
    reads: number
    rssi_sum: number
    rssi_count: number
    clock_offset_ms: number | null
  }
  /** See migration 0090. */
  reader_message: {
    org_id: number
    reader_key: string
    id: Generated<number>
    received_at: string
    via: string
    subject: string
    size: number
    head: string
    problems: ReaderMessageProblem[]
  }
  unknown_tag: {
    org_id: number
    id: Generated<number>
    tag_type: string
    value: string
    ibeacon: string | null
    ibeacon_match: GeneratedAlways<string | null>
    first_seen_at: string
    last_seen_at: string
    reads: number
    reader_key: string
    antenna: number
    rssi_dbm: number | null
  }
  scan: {
    org_id: number
    asset_id: number
    minute: string
    observed_at: string
    location_id: number | null
    reader_key: string | null
    antenna: number | null
    /** What decided the location of a read. See migration 0050 for the two scan points. */
    tag_id: number | null
    location_key: string | null
    scan_point_id: number | null
    empty_scan_point_id: number | null
    outvoted: Outvoted[] | null
    carried_from: string | null
  }
  /** See migration 0140, also for the two tables after it. */
  day_packed: {
    org_id: number
    asset_id: number
    first_location_id: number | null
    last_location_id: number | null
    first_at: string
    last_at: string
    day: string
    n: number
    seen: Buffer
    detail: Buffer
    extra: Buffer | null
  }
  history_packing: {
    is_only: Generated<boolean>
    packed_until: string
    starts_at: string
    after_org: number | null
    after_asset: number | null
  }
  history_touched: { org_id: number; asset_id: number; day: string }
  /** See migration 0070. */
  movement: {
    org_id: number
    asset_id: number
    minute: string
    observed_at: string
    from_location_id: number | null
    to_location_id: number
  }
  position: {
    org_id: number
    asset_id: number
    minute: string
    observed_at: string
    location_id: number | null
    dwell_started_at: string | null
    evidence: Evidence | null
    carry_at: string | null
    /** The validity of the asset; null until catalog has sent it. */
    valid_from: string | null
    valid_to: string | null
    deleted_at: string | null
  }
  asset_place: {
    org_id: number
    asset_id: number
    location_id: number | null
    valid_from: string
    valid_to: string | null
    deleted_at: string | null
    /** See migration 0151. */
    home_location_id: Generated<number | null>
  }
  /** The newest recorded location that an asset brought with it (D1.6). */
  placement: { org_id: number; asset_id: number; placed_at: string }
  /** See migration 0100. */
  canary: { is_only: boolean; received_at: string; steady_since: Generated<string> }
  /** See migration 0145. */
  export: {
    org_id: number
    id: Generated<number>
    dataset: ExportDataset
    format: ExportFormat
    from_at: string | null
    to_at: string | null
    status: Generated<ExportStatus>
    file_count: number
    next_file: Generated<number>
    rows: Generated<number>
    bytes: Generated<number>
    problem: string | null
    link_key: Buffer
    created_at: Generated<string>
    finished_at: string | null
    deleted_at: string | null
    failures: Generated<number>
    worker: string | null
    lease_until: string | null
    worked_at: Generated<string>
  }
  export_file: {
    org_id: number
    export_id: number
    file: number
    name: string
    day: string | null
    rows: number
    bytes: number
    sha256: string
  }
  /** See migration 0152, also for the three tables after it. */
  rule: {
    org_id: number
    id: Generated<number>
    name: string
    kind: RuleKind
    enabled: boolean
    severity: Severity
    scope: RuleScope
    params: RuleParams
    for_seconds: number
    schedule: RuleSchedule | null
    notify: StoredNotify
    revision: Generated<number>
    active_from: Generated<string>
    raises_existing: Generated<boolean>
    problem: RuleProblem | null
    open_alerts: Generated<number>
    checked_until: Generated<string>
    check_after: number | null
    closing: ResolvedBecause | null
    /** See migration 0153. */
    notice_due_at: Generated<string | null>
    noticed_at: Generated<string | null>
    notice_day: Generated<string | null>
    day_notices: Generated<number>
    created_at: Generated<string>
    updated_at: Generated<string>
    deleted_at: string | null
  }
  rule_notice: {
    org_id: number
    id: Generated<string>
    rule_id: number
    chat: StoredChat | null
    notice: AlertNotice
    failed_before: Generated<number>
    next_attempt_at: Generated<string>
    created_at: Generated<string>
  }
  rule_set: { org_id: number; version: number }
  rule_hold: {
    org_id: number
    rule_id: number
    subject_id: number
    revision: number
    since: string
    due_at: string | null
    alert_id: number | null
    origin_id: number | null
  }
  alert: {
    org_id: number
    id: Generated<number>
    rule_id: number
    revision: number
    severity: Severity
    subject_type: 'asset' | 'reader' | 'rule'
    subject_id: number
    location_id: number | null
    note: string | null
    raised_at: string
    acknowledged_at: string | null
    acknowledged_by: { type: string; id: number | null; name: string | null } | null
    resolved_at: string | null
    resolved_because: ResolvedBecause | null
    to_tell: Generated<boolean>
    told_at: Generated<string | null>
  }
  export_part: { org_id: number; export_id: number; file: number; part: number; body: Buffer }
  outbox: OutboxTable
}

/** A connection or an open transaction: a query works on both. */
export type Db = Kysely<Tables> | Transaction<Tables>
export type Tx = Transaction<Tables>
