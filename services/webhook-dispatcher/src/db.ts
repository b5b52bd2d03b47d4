import type { Generated, Kysely, Transaction } from 'kysely'

export type Tables = {
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
  }
  delivery_counter: {
    org_id: number
    attempts: number
    /** When the bucket of test events is full again (`takeTestEvent`). */
    tests_until: string | null
    /** When the organization last deleted a webhook (`insertWebhook`). */
    webhook_deleted_at: Generated<string | null>
  }
  delivery_attempt: {
    org_id: number
    /** `position` modulo 500. */
    slot: number
    position: number
    webhook_id: number
    delivery_id: string
    attempt: number
    attempted_at: string
    outcome: string
    status_code: number | null
    latency_ms: number
    error: string | null
    is_test: Generated<boolean>
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
