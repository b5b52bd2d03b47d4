import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/**
 * What a reader sent in each hour of UTC, kept for 30 days. Antenna 0 is the whole reader, 1 to 32 an antenna, -1 all
 * others together. Messages and problems are counted for the whole reader only. `rssi_sum / rssi_count` is the mean
 * signal in dBm.
 *
 * The release before this one does not count hours: they miss what it ingests until it is gone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Rows are updated every second for an hour: free space on their pages keeps the updates out of the indexes.
  await sql`
    create table reader_hour (
      org_id bigint not null,
      reader_key text not null,
      hour timestamptz not null,
      antenna int not null,
      messages bigint not null,
      problems bigint not null,
      reads bigint not null,
      rssi_sum double precision not null,
      rssi_count bigint not null,
      primary key (org_id, reader_key, hour, antenna)
    ) with (fillfactor = 70)`.execute(db)
  await sql`create index reader_hour_hour on reader_hour (hour)`.execute(db)
  await openToRoles(db, {
    reader_hour: { organization: 'org_id', tenant: 'select', worker: 'select, insert, update, delete' },
  })
  await sql`alter table reader_health add column last_problem_message text`.execute(db)
  // Out of the row: a write of the counters, once a second, then does not copy the message.
  await sql`alter table reader_health set (toast_tuple_target = 512)`.execute(db)
}
