import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db.ts'

/** `waiting` in seconds, of the import that was not worked on for the longest; null when none is to be worked on. */
type Counts = { states: Record<string, number>; waiting: number | null }

/** Of all organizations; there are few imports. `across` sees them all. */
export async function countImports(across: Kysely<Tables>): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select coalesce(jsonb_object_agg(state, imports), '{}') as states,
           extract(epoch from clock_timestamp() - min(oldest))::float8 as waiting
    from (select state, count(*) as imports,
                 min(worked_at) filter (where state in ('pending', 'running')) as oldest
          from import where deleted_at is null group by state) counted`.execute(across)
  return rows[0] ?? { states: {}, waiting: null }
}
