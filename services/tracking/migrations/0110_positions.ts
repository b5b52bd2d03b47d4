import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/**
 * How organizations want positions to be decided, and what that needs (ADR 85). All columns are null for assets and rows of
 * organizations without such settings, but for assets that were read at two places in one minute.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table placement_rules (
      org_id bigint primary key,
      passages text not null,
      tag_types text[] not null,
      margin_db int not null,
      exit_delay_seconds int not null,
      min_rssi_dbm int
    )`.execute(db)
  await openToRoles(db, {
    placement_rules: { organization: 'org_id', tenant: 'select, insert, update', worker: 'select' },
  })
  await sql`
    alter table scan_point
      add column min_rssi_dbm int,
      add column rssi_offset_db int not null default 0`.execute(db)
  // `evidence`: see src/positions/evidence.ts. `carry_at`: when a waiting read becomes an observation, where it does.
  await sql`alter table position add column evidence jsonb, add column carry_at timestamptz`.execute(db)
  await sql`alter table scan add column outvoted jsonb, add column carried_from timestamptz`.execute(db)
}
