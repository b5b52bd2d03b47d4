import { Client } from 'pg'

/** What is connected to the database as this owner of a schema, or as a role of its service, as it calls itself. */
export async function runningServices(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `select distinct coalesce(nullif(application_name, ''), usename) as name from pg_stat_activity
       where usename in (current_user, current_user || '_tenant', current_user || '_worker') and datname = current_database() and pid <> pg_backend_pid() order by 1`,
    )
    return rows.map(({ name }) => name)
  } finally {
    await client.end()
  }
}
