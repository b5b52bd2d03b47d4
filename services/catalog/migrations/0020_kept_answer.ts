import { createKeptAnswers } from '@whereabouts/db/answers/kept-answers'
import type { Kysely } from 'kysely'

/** The answers to requests with an `Idempotency-Key` (D12.8). */
export const up = (db: Kysely<unknown>): Promise<void> => createKeptAnswers(db)
