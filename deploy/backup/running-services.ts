import { Client } from 'pg'

/** What is connected to the database as this role besides us, as it calls itself. */
export async function runningServices(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `select distinct coalesce(nullif(application_name, ''), usename) as name from pg_stat_activity
       where usename = current_user and datname = current_database() and pid <> pg_backend_pid() order by 1`,
    )
    return rows.map(({ name }) => name)
  } finally {
    await client.end()
  }
}
