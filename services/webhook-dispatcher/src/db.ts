import type { Generated, Kysely, Transaction } from 'kysely'

export type Tables = {
  webhook: {
    org_id: number
    id: Generated<number>
    url: string
    enabled: boolean
    /** When deliveries were last switched on: what the broker stored before is not replayed. */
    enabled_at: Generated<string>
    secret_ciphertext: Buffer
    secret_key_id: string
    secret_last_four: string
    created_at: Generated<string>
    updated_at: Generated<string>
  }
  delivery_counter: {
    org_id: number
    attempts: number
    /** Until when the test events sent so far fill their allowance (`takeTestEvent`). */
    tests_until: string | null
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
}

/** A connection or an open transaction: a query function cannot tell, and need not. */
export type Db = Kysely<Tables> | Transaction<Tables>
