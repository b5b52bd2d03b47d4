import { sql } from 'kysely'

/** To be drawn under the row's lock: then a higher revision is a later state. */
export const nextRevision = sql<number>`nextval('revision_seq')`

/**
 * The `updated_at` of a change made under the row's lock. Not `now()`: after a wait for the lock, time must not step back in
 * time. At least a full millisecond later, whatever the clock says: that is the precision in which clients see it and
 * send it back as their concurrency token.
 */
export const nextUpdate = sql<string>`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`
