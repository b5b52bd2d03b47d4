import { sql, type Kysely, type RawBuilder } from 'kysely'
import { searchForm } from '../sql-conditions.ts'

/**
 * For migrations. `search_text` is a column that a trigger keeps, because a generated one can only change by a rewrite of the
 * table under a lock that stops everything. Written rows keep theirs until `fillSearchText`.
 */
export async function keepSearchText(
  db: Kysely<unknown>,
  table: string,
  columns: readonly string[],
): Promise<void> {
  const name = sql.id(`search_text_of_${table}`)
  await sql`
    alter table ${sql.table(table)} alter column search_text drop expression,
      alter column search_text set default ''`.execute(db)
  await sql`
    create function ${name}() returns trigger language plpgsql set search_path from current as $$
    begin
      new.search_text := ${formOf(columns.map((column) => `new.${column}`))};
      return new;
    end $$`.execute(db)
  await sql`
    create trigger ${name} before insert or update of ${sql.join(columns.map((column) => sql.id(column)))}
    on ${sql.table(table)} for each row execute function ${name}()`.execute(db)
}

/** Each column in the form of a search, with a separator that no search can have. */
const formOf = (columns: readonly string[]): RawBuilder<string> =>
  sql.join(
    columns.map((column) => sql`coalesce(${searchForm(sql.ref(column))}, '')`),
    sql` || chr(31) || `,
  )

const BATCH = 5000

type Key = { org_id: number; id: number }

/** Corrects the `search_text` of written rows, in batches next to writers. Safe to repeat after it was interrupted. */
export async function fillSearchText(
  db: Kysely<unknown>,
  table: string,
  columns: readonly string[],
): Promise<void> {
  let after: Key | undefined = { org_id: Number.MIN_SAFE_INTEGER, id: 0 }
  while (after) after = await fillBatch(db, table, columns, after)
}

async function fillBatch(
  db: Kysely<unknown>,
  table: string,
  columns: readonly string[],
  after: Key,
): Promise<Key | undefined> {
  const form = formOf(columns.map((column) => `old.${column}`))
  const { rows } = await sql<Key>`
    with batch as (
      select org_id, id from ${sql.table(table)} where (org_id, id) > (${after.org_id}, ${after.id})
      order by org_id, id limit ${BATCH}), filled as (
      update ${sql.table(table)} as old set search_text = ${form} from batch
      where old.org_id = batch.org_id and old.id = batch.id and old.search_text <> ${form})
    select org_id, id from batch order by org_id desc, id desc limit 1`.execute(db)
  return rows[0]
}
