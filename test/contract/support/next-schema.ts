import pg from 'pg'

/** Columns that an expansion may add: `select *` returns more, and an insert by position fails. */
const COLUMNS = `
  add column added_by_the_next_release text,
  add column defaulted_by_the_next_release text not null default 'next'`

const TABLES = `
  select n.nspname as schema, c.relname as table from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('gateway', 'catalog', 'tracking', 'keys', 'webhooks')
    and c.relkind in ('r', 'p') and not c.relispartition and c.relname not like 'kysely%'`

/**
 * Adds columns to every table of a running system, as migrations of the next release may while this one still serves.
 * All later tests show that this release works on that schema, and that clients see nothing of it.
 */
export async function migrateAhead(postgresUrl: string, database: string): Promise<void> {
  const url = new URL(postgresUrl)
  url.pathname = database
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    const { rows } = await client.query<{ schema: string; table: string }>(TABLES)
    if (rows.length < 20)
      throw new Error(`only ${rows.length} tables: the schemas are not those of the product`)
    for (const { schema, table } of rows)
      await client.query(
        `alter table ${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)} ${COLUMNS}`,
      )
  } finally {
    await client.end()
  }
}
