import { sql } from 'kysely'

/**
 * The `updated_at` of a change under the row's lock. Not `now()`, which is in the past after a wait for the lock. At
 * least one millisecond later than the last, because clients read milliseconds and use it as a concurrency token.
 */
export const nextUpdate = sql<string>`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`
