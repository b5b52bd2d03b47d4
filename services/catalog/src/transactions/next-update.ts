import { sql } from 'kysely'

/**
 * The `updated_at` of a change made under the row's lock. Not `now()`: after a wait for the lock that would lie in the
 * past. At least one millisecond later than the last, because clients see it in milliseconds and send it back as their
 * concurrency token.
 */
export const nextUpdate = sql<string>`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`
