import { sql, type Kysely } from 'kysely'

/** Columns that name a row of a table, and the columns that they name. */
export type Reference = { to: string; columns: string[]; named: string[] }

export type OrganizationTable = {
  name: string
  /** To rows of the same table, which go later. */
  parent?: Reference | undefined
  /** To rows that are found by organization, where no index of its own finds those of the table. */
  through?: Reference | undefined
}

type Found = { name: string; has_index: boolean; references: Reference[] }

/**
 * All tables of the schema whose rows name an organization, in the order in which they can be emptied: what names a row comes before
 * it. Read from the database, so that no new table is left out. A partitioned table stands as its partitions, whose rows
 * have places of their own. Throws if the rows of an organization cannot be found without reading those of others.
 */
export async function listOrganizationTables<T>(db: Kysely<T>): Promise<OrganizationTable[]> {
  const { rows } = await sql<Found>`
    select c.relname as name,
      exists (select from pg_index i where i.indrelid = c.oid and i.indkey[0] = o.attnum and i.indpred is null) as has_index,
      coalesce((
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
  const tables = new Map(found.map((each) => [each.name, each]))
  const toTable = ({ name, has_index, references }: Found): OrganizationTable => {
    const parent = references.find(({ to }) => to === name)
    if (has_index) return { name, parent }
    const through = references.find(({ to }) => to !== name && tables.get(to)?.has_index)
    if (!through) throw new Error(`no index finds the rows of an organization in ${name}`)
    return { name, parent, through }
  }
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
