import { BEYOND_LIMIT } from '@whereabouts/service-kit/http/error-handler'
import { sql, type Kysely, type QueryExecutorProvider } from 'kysely'
import { openToRoles } from '../tenant/role-access.ts'

/**
 * What each organization stores, counted where it is written, and how much of it it may store (ADR 91). Each statement that
 * changes a counted table inserts its difference into `usage`, by triggers, so no writer can omit it. The sum of the rows of a
 * name is what the organization uses. Rows are only inserted, so writers do not wait for each other.
 *
 * Only near a limit do they: what would pass it must see what others are about to add. A limit below `SMALL`, or half used,
 * is near. Far from it, others that have not committed yet cannot fill the rest.
 */
const SMALL = 1_000

/** For migrations. Rows of organization 0 in `usage_limit` are what organizations without a row of their own may store. */
export async function createUsage(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table usage (
      org_id bigint not null,
      name text not null,
      id bigint not null generated always as identity,
      n bigint not null,
      primary key (org_id, name, id)
    )`.execute(db)
  await sql`
    create table usage_limit (
      org_id bigint not null,
      name text not null,
      value bigint,
      revision bigint not null default 0,
      primary key (org_id, name)
    )`.execute(db)
  await openToRoles(db, {
    usage: { organization: 'org_id', tenant: 'select, insert', worker: 'select, insert, update, delete' },
    usage_limit: {
      ownRows: sql`org_id in (0, current_setting('whereabouts.org_id')::bigint)`,
      tenant: 'select',
      worker: 'select, insert, update, delete',
    },
  })
  await sql`
    create function add_usage(org bigint, what text, more bigint) returns void
    language plpgsql set search_path from current as $$
    declare
      allowed bigint;
      used bigint;
    begin
      if more = 0 then return; end if;
      insert into usage (org_id, name, n) values (org, what, more);
      if more < 0 then return; end if;
      select value into allowed from usage_limit where name = what and org_id in (0, org)
        and value is not null order by org_id desc limit 1;
      if allowed is null then return; end if;
      select sum(n) into used from usage where org_id = org and name = what;
      if allowed >= ${sql.lit(SMALL)} and used <= allowed / 2 then return; end if;
      perform pg_advisory_xact_lock(hashtextextended('usage of ' || org, 0));
      select sum(n) into used from usage where org_id = org and name = what; -- with what was committed meanwhile
      if used <= allowed then return; end if;
      raise exception using errcode = ${sql.lit(BEYOND_LIMIT)}, message = format(
        'This organization may store %s (limit %s) and has %s. Delete what is not needed, or ask the operator to raise the limit.',
        allowed, what, used - more);
    end $$`.execute(db)
}

/** What one row adds to the usage of each name: an SQL expression over its columns. */
export type Amounts = Readonly<Record<string, string>>

/**
 * For migrations: counts the rows of `table`, those of now included, and the changes of each statement from now on. The
 * first trigger locks the table (share row exclusive) until the transaction ends, so each row is counted once.
 */
export async function countRows(db: Kysely<unknown>, table: string, amounts: Amounts): Promise<void> {
  const sums = (rows: string, sign = '') =>
    Object.entries(amounts).map(
      ([name, amount]) =>
        `select org_id, '${name}' as name, ${sign}sum(${amount})::bigint as n from ${rows} group by org_id`,
    )
  const add = (parts: readonly string[]) =>
    `perform add_usage(org_id, name, sum(n)::bigint) from (${parts.join(' union all ')}) as part group by org_id, name;`
  const made = (text: string) => sql.raw(text).execute(db)
  await made(`
    create function count_${table}() returns trigger language plpgsql set search_path from current as $$
    begin
      case tg_op
        when 'INSERT' then ${add(sums('added'))}
        when 'UPDATE' then ${add([...sums('added'), ...sums('removed', '-')])}
        when 'DELETE' then ${add(sums('removed', '-'))}
      end case;
      return null;
    end $$`)
  for (const [event, tables] of [
    ['insert', 'new table as added'],
    ['update', 'old table as removed new table as added'],
    ['delete', 'old table as removed'],
  ])
    await made(`create trigger usage_${event} after ${event} on ${table} referencing ${tables}
      for each statement execute function count_${table}()`)
  await made(`insert into usage (org_id, name, n) ${sums(table).join(' union all ')}`)
}

/** What an organization uses and may use, by name. */
export async function readUsage(db: QueryExecutorProvider, orgId: number): Promise<Usage[]> {
  const { rows } = await sql<Usage>`
    select d.name, coalesce(own.value, d.value) as limit,
      (select coalesce(sum(n), 0)::bigint from usage where org_id = ${orgId} and name = d.name) as used
    from usage_limit d left join usage_limit own on own.org_id = ${orgId} and own.name = d.name
    where d.org_id = 0`.execute(db)
  return rows
}
export type Usage = { name: string; limit: number; used: number }

/** Stores the limits of an organization's own, unless newer ones are stored. A name that is missing has its default again. */
export async function saveLimits<T>(
  across: Kysely<T>,
  {
    org_id,
    revision,
    limits,
  }: { org_id: number; revision: number; limits: Readonly<Record<string, number>> },
): Promise<void> {
  await sql`
    insert into usage_limit as own (org_id, name, value, revision)
    select ${org_id}, d.name, (${JSON.stringify(limits)}::jsonb ->> d.name)::bigint, ${revision}
    from usage_limit d where d.org_id = 0
    on conflict (org_id, name) do update set value = excluded.value, revision = excluded.revision
      where own.revision < excluded.revision`.execute(across)
}

/** The limit of every organization without its own. For migrations, and for tests of small limits. */
export async function setDefaultLimits<T>(
  db: Kysely<T>,
  limits: Readonly<Record<string, number>>,
): Promise<void> {
  await sql`
    insert into usage_limit (org_id, name, value)
    select 0, key, value::bigint from jsonb_each_text(${JSON.stringify(limits)}::jsonb)
    on conflict (org_id, name) do update set value = excluded.value`.execute(db)
}

/** An amount of bytes of the given columns, besides what a row with its index entries takes. */
export const bytesOf = (row: number, ...columns: readonly string[]): string =>
  [row, ...columns.map((column) => `coalesce(octet_length(${column}), 0)`)].join(' + ')
