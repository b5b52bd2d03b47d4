import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/**
 * Floor plans: the rooms and readers of a place, over an image. The place is a location, or 0 for the whole organization.
 * Images are few, small and only read by their key, so the database keeps them: they are in its backups, and change
 * together with the plan. They are compressed already, so `external` does not try it again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table floor_plan (
      org_id bigint not null,
      place bigint not null,
      zones jsonb not null,
      readers jsonb not null,
      image_hash text,
      version integer not null,
      updated_at timestamptz not null default clock_timestamp(),
      primary key (org_id, place)
    )`.execute(db)
  await sql`
    create table floor_image (
      org_id bigint not null,
      hash text not null,
      media_type text not null,
      width integer not null,
      height integer not null,
      bytes bytea not null,
      primary key (org_id, hash)
    )`.execute(db)
  await sql`alter table floor_image alter column bytes set storage external`.execute(db)
  await openToRoles(db, {
    floor_plan: { organization: 'org_id', tenant: 'select, insert, update, delete' },
    floor_image: { organization: 'org_id', tenant: 'select, insert, delete' },
  })
}
