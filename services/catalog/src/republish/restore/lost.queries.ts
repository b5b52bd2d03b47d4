import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../db.ts'

export type State = { org_id: number; id: number; revision: number }
export const KINDS = ['asset', 'location', 'tag'] as const
export type Kind = (typeof KINDS)[number]

/** The states that the database lacks or has only in an older revision. */
export async function findLost<S extends State>(
  db: Kysely<Tables>,
  kind: Kind,
  states: readonly S[],
): Promise<S[]> {
  if (states.length === 0) return []
  const { rows } = await sql<{ n: number }>`
    select (n - 1)::int as n
    from unnest(${states.map(({ org_id }) => org_id)}::bigint[], ${states.map(({ id }) => id)}::bigint[],
      ${states.map(({ revision }) => revision)}::bigint[]) with ordinality as s (org_id, id, revision, n)
    left join ${sql.table(kind)} t on t.org_id = s.org_id and t.id = s.id
    where t.id is null or t.revision < s.revision
    order by n`.execute(db)
  return rows.flatMap(({ n }) => states[n] ?? [])
}
