import { sql, type Kysely } from 'kysely'

export type OrganizationTable = {
  name: string
  /** Columns with which a row names another one of the same table, and the columns that they name. */
  parent?: { from: string[]; to: string[] }
}

type Found = { name: string; references: { to: string; columns: string[]; named: string[] }[] }

/**
 * All tables of the schema whose rows name an organization, in the order in which they can be emptied: what names a row comes before
 * it. Read from the database, so that no new table is left out. A partitioned table stands as its partitions, whose rows
 * have places of their own.
 */
export async function listOrganizationTables<T>(db: Kysely<T>): Promise<OrganizationTable[]> {
  const { rows } = await sql<Found>`
    select c.relname as name, coalesce((
      select jsonb_agg(jsonb_build_object('to', r.relname,
        'columns', (select jsonb_agg(a.attname order by k.place) from unnest(f.conkey) with ordinality as k (n, place)
          join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.n),
        'named', (select jsonb_agg(a.attname order by k.place) from unnest(f.confkey) with ordinality as k (n, place)
          join pg_attribute a on a.attrelid = f.confrelid and a.attnum = k.n)))
      from pg_constraint f join pg_class r on r.oid = f.confrelid
      where f.conrelid = c.oid and f.contype = 'f'), '[]') as references
    from pg_class c join pg_attribute o on o.attrelid = c.oid and o.attname = 'org_id' and not o.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
    order by c.relname`.execute(db)
  return inOrder(rows)
}

function inOrder(found: readonly Found[]): OrganizationTable[] {
  let rest = [...found]
  const ordered: OrganizationTable[] = []
  while (rest.length > 0) {
    const named = new Set(
      rest.flatMap(({ name, references }) => references.flatMap(({ to }) => (to === name ? [] : [to]))),
    )
    const free = rest.filter(({ name }) => !named.has(name))
    if (free.length === 0)
      throw new Error(`tables name each other: ${rest.map(({ name }) => name).join(', ')}`)
    ordered.push(...free.map(toTable))
    rest = rest.filter(({ name }) => named.has(name))
  }
  return ordered
}

function toTable({ name, references }: Found): OrganizationTable {
  const own = references.find(({ to }) => to === name)
  return own ? { name, parent: { from: own.columns, to: own.named } } : { name }
}
