import type pg from 'pg'

/**
 * Facts of a schema on which code may rely, one line each: tables and columns with their types, constraints of rows,
 * unique keys (`on conflict` names them), and functions.
 */
export type SchemaFacts = {
  /** If one disappears, code that relies on it breaks. */
  promised: ReadonlySet<string>
  /** If one appears on an existing table, code that does not know it breaks. The values are the tables. */
  demanded: ReadonlyMap<string, string>
  tables: ReadonlySet<string>
}

const PROMISED = `
  select format('column %s.%s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod)) as fact
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v')
    and not c.relispartition and a.attnum > 0 and not a.attisdropped
  union all
  select format('unique key %s (%s)', c.relname,
    (select string_agg(pg_get_indexdef(i.indexrelid, n, true), ', ' order by n)
     from generate_series(1, i.indnkeyatts) n) || coalesce(' where ' || pg_get_expr(i.indpred, i.indrelid), ''))
  from pg_index i join pg_class c on c.oid = i.indrelid
  where c.relnamespace = current_schema()::regnamespace and i.indisunique and not c.relispartition
  union all
  select format('function %s', p.oid::regprocedure) from pg_proc p
  where p.pronamespace = current_schema()::regnamespace`

const DEMANDED = `
  select c.relname as table_name, format('%s.%s must be given', c.relname, a.attname) as fact
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and a.attnum > 0 and not a.attisdropped and a.attnotnull and not a.atthasdef and a.attidentity = ''
  union all
  select c.relname, format('%s %s', c.relname, pg_get_constraintdef(k.oid))
  from pg_constraint k join pg_class c on c.oid = k.conrelid
  where c.relnamespace = current_schema()::regnamespace and k.contype in ('c', 'f', 'x') and not c.relispartition
  union all
  select c.relname, format('%s unique (%s)%s', c.relname,
    (select string_agg(pg_get_indexdef(i.indexrelid, n, true), ', ' order by n)
     from generate_series(1, i.indnkeyatts) n), coalesce(' where ' || pg_get_expr(i.indpred, i.indrelid), ''))
  from pg_index i join pg_class c on c.oid = i.indrelid
  where c.relnamespace = current_schema()::regnamespace and i.indisunique and not c.relispartition`

const TABLES = `
  select relname as name from pg_class
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`

/** Reads the facts of the pool's current schema. */
export async function readSchemaFacts(pool: pg.Pool): Promise<SchemaFacts> {
  const promised = await pool.query<{ fact: string }>(PROMISED)
  const demanded = await pool.query<{ table_name: string; fact: string }>(DEMANDED)
  const tables = await pool.query<{ name: string }>(TABLES)
  return {
    promised: new Set(promised.rows.map(({ fact }) => fact)),
    demanded: new Map(demanded.rows.map(({ fact, table_name: table }) => [fact, table])),
    tables: new Set(tables.rows.map(({ name }) => name)),
  }
}

/**
 * The changes from `before` to `after` that break a release written for `before`; empty if there are only expansions.
 */
export function brokenBetween(before: SchemaFacts, after: SchemaFacts): string[] {
  const lost = Array.from(before.promised).filter((fact) => !after.promised.has(fact))
  const isNewDemand = ([fact, table]: [string, string]) =>
    before.tables.has(table) && !before.demanded.has(fact)
  const added = Array.from(after.demanded).filter(isNewDemand)
  return [...lost.map((fact) => `lost: ${fact}`), ...added.map(([fact]) => `new: ${fact}`)]
}
