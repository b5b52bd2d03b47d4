import { sql } from 'kysely'

/** The next revision of a row. Draw it under the row's lock, so that a higher revision is a later state. */
export const nextRevision = sql<number>`nextval('revision_seq')`
