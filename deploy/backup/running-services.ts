import { Client } from 'pg'

/** The application names of all sessions of this schema owner and of the other roles of its service. */
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
