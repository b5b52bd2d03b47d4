import { DATABASE, databaseUrl } from '@whereabouts/deploy/database/roles'
import { Client } from 'pg'

/** Columns that change without an attack, by name, with the reason. */
const VOLATILE: Record<string, string> = {
  last_used_at: 'the suite itself calls the API with a key',
  first_message_at: 'its own reader sends scans',
  broker_used_at: 'its own reader sends scans',
  reader_account_used_at: 'a login of its own reader counts as use',
}

/** The database as its administrator sees it. */
export type Rows = {
  /** Every row of an organization, by table: each as text, sorted. Volatile columns are left out. */
  of(orgId: number): Promise<Record<string, string[]>>
  /** Whether all messages between services have been sent. */
  areOutboxesEmpty(): Promise<boolean>
  /** Runs one statement, for a test about a single fact. */
  query<T extends object>(text: string, values?: unknown[]): Promise<T[]>
  close(): Promise<void>
}

type Table = { name: string; key: string }

/**
 * Tables whose rows name an organization, and the organization itself by id. A partitioned table stands for its
 * partitions.
 */
const TABLES = `
  select format('%I.%I', n.nspname, c.relname) as name, a.attname as key
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
  where c.relkind in ('r', 'p') and not c.relispartition and not a.attisdropped
    and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
    and (a.attname = 'org_id' or (a.attname = 'id' and c.relname = 'org'))
  order by name`
const OUTBOXES = `
  select format('%I.%I', schemaname, tablename) as name from pg_tables where tablename = 'outbox' order by name`

export async function openRows(adminUrl: string): Promise<Rows> {
  const client = new Client({ connectionString: databaseUrl(adminUrl, DATABASE) })
  await client.connect()
  const tables = (await client.query<Table>(TABLES)).rows
  const outboxes = (await client.query<{ name: string }>(OUTBOXES)).rows
  if (tables.length === 0 || outboxes.length === 0) throw new Error('these are not the tables of the product')
  return {
    async of(orgId) {
      const found: Record<string, string[]> = {}
      for (const { name, key } of tables) {
        const text = `select (to_jsonb(t) - $2::text[])::text as row from ${name} t where ${key} = $1 order by 1`
        const { rows } = await client.query<{ row: string }>(text, [orgId, Object.keys(VOLATILE)])
        found[name] = rows.map(({ row }) => row)
      }
      return found
    },
    async areOutboxesEmpty() {
      const counts = outboxes.map(({ name }) => `(select count(*) from ${name})`).join(' + ')
      const { rows } = await client.query<{ owed: string }>(`select (${counts})::text as owed`)
      return rows[0]?.owed === '0'
    },
    query: async <T extends object>(text: string, values: unknown[] = []) =>
      (await client.query<T>(text, values)).rows,
    close: () => client.end(),
  }
}
