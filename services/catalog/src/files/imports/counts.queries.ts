import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../db.ts'

/** `waiting`: longest time since an unfinished import was processed, in seconds; null without one. */
type Counts = { states: Record<string, number>; waiting: number | null }

/** Counts the imports of all organizations, which are few. `across` sees them all. */
export async function countImports(across: Kysely<Tables>): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select coalesce(jsonb_object_agg(state, imports), '{}') as states,
           extract(epoch from clock_timestamp() - min(oldest))::float8 as waiting
    from (select state, count(*) as imports,
                 min(worked_at) filter (where state in ('pending', 'running')) as oldest
          from import where deleted_at is null group by state) counted`.execute(across)
  return rows[0] ?? { states: {}, waiting: null }
}
