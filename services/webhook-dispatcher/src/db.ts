import type { OutboxTable } from '@whereabouts/db/outbox/outbox'
import type { Generated, Kysely, Transaction } from 'kysely'

export type Retry = 'standard' | 'extended'

/** An empty list means any (D13.9). */
export type Filter = { asset_types: string[]; location_ids: number[]; include_descendants: boolean }

/** Of which type the asset of an event is, and where: `at` both ends of a move, `within` also all that these are in. */
export type About = { asset_type?: string; at?: number[]; within?: number[] }

export type DeliveryState = 'waiting' | 'delivered' | 'failed' | 'dropped'

/** One attempt in the log of a delivery. */
export type Attempt = { at: string; status_code: number | null; error: string | null; latency_ms: number }

export type Tables = {
  outbox: OutboxTable
  webhook: {
    org_id: number
    id: Generated<number>
    url: string
    enabled: boolean
    /** When deliveries were last switched on. Events that the broker stored before that are not delivered. */
    enabled_at: Generated<string>
    secret_ciphertext: Buffer
    secret_key_id: string
    secret_last_four: string
    /** The secret before the last rotation, which also signs until then (D13.6). */
    previous_ciphertext: Generated<Buffer | null>
    previous_key_id: Generated<string | null>
    previous_until: Generated<string | null>
    created_at: Generated<string>
    updated_at: Generated<string>
    /** The contract's webhook; the others are further endpoints (D13.9). */
    is_primary: Generated<boolean>
    event_types: Generated<string[]>
    retry: Generated<Retry>
    /** Null: every asset and every location. */
    filter: Generated<Filter | null>
    /** Up to here, moves are rows of `delivery` or not for it. Null: up to what was recorded before `enabled_at`. */
    moves_position: Generated<number | null>
    /** The same for all other types. */
    others_position: Generated<number | null>
    /** The process that makes its deliveries, until then. */
    claimed_by: Generated<string | null>
    claimed_until: Generated<string | null>
    /** When a process last took it up. */
    served_at: Generated<string | null>
    /** Attempts that failed since the last success, and when the first of them did. */
    failures: Generated<number>
    failing_since: Generated<string | null>
    health: Generated<'ok' | 'failing'>
    /** Null: a person did. */
    disabled_because: Generated<'failing' | null>
  }
  /** An event and an endpoint, from the first attempt on. Before that, the position of the endpoint says that it waits. */
  delivery: {
    org_id: number
    webhook_id: number
    /** Of the event in the feed. Negative: a test event, or from before there was a feed. */
    seq: number
    delivery_id: string
    type: string
    /** What the event is about, where the order matters (`extended`). */
    thing: string | null
    occurred_at: string
    state: DeliveryState
    attempts: number
    first_at: string | null
    /** Of the last attempt, or when it was dropped. */
    last_at: string
    /** Null unless it waits. `infinity`: for another event of the same thing. */
    next_attempt_at: string | null
    is_test: Generated<boolean>
    log: Generated<Attempt[]>
  }
  delivery_hour: { org_id: number; webhook_id: number; hour: string; delivered: number; failed: number }
  delivery_counter: {
    org_id: number
    attempts: number
    /** When the bucket of test events is full again (`takeTestEvent`). */
    tests_until: string | null
  }
  event: {
    org_id: number
    /** The order of the organization. It only grows, with gaps. */
    seq: number
    id: string
    type: string
    occurred_at: string
    recorded_at: string
    data: unknown
    /** For filters. Null: of a type without an asset or location. */
    about: Generated<About | null>
    /** `traceparent` of the message, if its trace is recorded. */
    trace: Generated<string | null>
  }
  /** Locked while events of the organization are recorded or removed. */
  event_head: {
    org_id: number
    /** Of the newest event. */
    seq: number
    /** When the newest event was recorded. */
    recorded_at: string
    /** Of the newest event that was removed. */
    removed_seq: Generated<number>
  }
}

/** A connection or an open transaction. Query functions work with both. */
export type Db = Kysely<Tables> | Transaction<Tables>

/** For steps that must commit together with others. */
export type Tx = Transaction<Tables>
