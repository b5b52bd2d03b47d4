import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/**
 * History of an asset and day in one row (ADR 115). `seen`, `detail` and `extra` are the rows of `scan` as
 * `day-codec.ts` packs them. The first and last row are columns too, so that SQL finds the neighbors of a day. Partitions are
 * months, like those of `movement`.
 *
 * Rows before `history_packing.packed_until` count here, and later ones in `scan`; days to come may be here too,
 * because they are being packed. A writer of rows that may be packed now locks `history_packing` for share, and names their days in
 * `history_touched`, so that they are packed again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table day_packed (
      org_id bigint not null,
      asset_id bigint not null,
      first_location_id bigint,
      last_location_id bigint,
      first_at timestamptz not null,
      last_at timestamptz not null,
      day date not null,
      n smallint not null,
      seen bytea not null,
      detail bytea not null,
      extra bytea,
      primary key (org_id, asset_id, day) include (n)
    ) partition by range (day)`.execute(db)
  for (const column of ['seen', 'detail', 'extra'])
    await sql`alter table day_packed alter column ${sql.id(column)} set storage external`.execute(db)
  await sql`
    create table history_packing (
      is_only boolean primary key default true check (is_only),
      packed_until timestamptz not null default '-infinity',
      starts_at timestamptz not null default now(),
      after_org bigint,
      after_asset bigint
    )`.execute(db)
  // Whoever upgrades can go back for a day, because the release before this one does not find packed days.
  await sql`
    insert into history_packing (starts_at)
    select now() + case when exists (select from scan) then interval '1 day' else interval '0' end`.execute(
    db,
  )
  await sql`
    create table history_touched (
      org_id bigint not null,
      asset_id bigint not null,
      day date not null,
      primary key (day, org_id, asset_id)
    )`.execute(db)
  const all = 'select, insert, update, delete'
  await openToRoles(db, {
    day_packed: { organization: 'org_id', tenant: all, worker: all },
    history_touched: { organization: 'org_id', tenant: 'select, insert, update', worker: all },
    // To lock the row for share, a role needs a right to change it. The column has one value only.
    history_packing: { tenant: 'select, update (is_only)', worker: 'select, update' },
  })
}
