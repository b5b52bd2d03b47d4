import { sql, type Kysely } from 'kysely'
import type { Db, Tables } from '../src/db.ts'
import { createDays } from '../src/positions/partitions/partitions.loop.ts'
import {
  addDays,
  addMonths,
  dateOf,
  monthStart,
  type Date10,
} from '../src/positions/partitions/partitions.queries.ts'

/** Creates partitions of whole months, as releases before packed days made them. As the owner of the tables. */
export async function createMonths(db: Db, dates: readonly Date10[]): Promise<void> {
  for (const first of new Set(dates.map(monthStart)))
    for (const table of ['scan', 'movement']) {
      const name = `${table}_${first.slice(0, 7).replace('-', '_')}`
      const until = addMonths(first, 1)
      await sql`select make_partition(${table}, ${name}, ${`${first}T00:00:00Z`}, ${`${until}T00:00:00Z`})`.execute(
        db,
      )
    }
}

/** Creates the partitions of the last days. */
export const createPastDays = (db: Kysely<Tables>, count: number): Promise<void> =>
  createDays(
    db,
    Array.from({ length: count + 1 }, (_, n) => addDays(dateOf(Date.now()), -n)),
  )
