import type pg from 'pg'

/** The number of rows of an organization in each table of the schema that has any. Partitions count with their table. */
export async function organizationRows(pool: pg.Pool, orgId: number): Promise<Record<string, number>> {
  const { rows: tables } = await pool.query<{ name: string; key: string }>(`
    select c.relname as name, a.attname as key from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and (a.attname = 'org_id' or c.relname = 'org' and a.attname = 'id') order by 1`)
  const found: Record<string, number> = {}
  for (const { name, key } of tables) {
    const counted = await pool.query<{ n: number }>(
      `select count(*)::int as n from ${name} where ${key} = $1`,
      [orgId],
    )
    const n = counted.rows[0]?.n ?? 0
    if (n > 0) found[name] = n
  }
  return found
}

/** Ends the session that deletes rows in the middle of `work`, which then rejects. Throws if `work` ends first. */
export async function killDeleting(killer: pg.Pool, work: Promise<unknown>): Promise<void> {
  let ending: 'killed' | 'done' | undefined
  const ended = work.then(
    () => (ending = 'done'),
    () => (ending = 'killed'),
  )
  while (ending === undefined)
    await killer.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and state <> 'idle' and query ~ '^\\s*delete from' and pid <> pg_backend_pid()`)
  if ((await ended) === 'done') throw new Error('nothing was killed: the work ended before')
}
