import { EXPORT_HOURS } from '@whereabouts/contracts/resources/tracking/exports'
import { sql, type Kysely } from 'kysely'
import type { Db, Tables } from '../../../db.ts'

export type Removed = { org_id: number; id: number; is_failed: boolean }

/** Removes exports whose time is over. */
export async function removeExpired(across: Kysely<Tables>): Promise<void> {
  await sql`
    update export set deleted_at = clock_timestamp()
    where deleted_at is null and finished_at < clock_timestamp() - ${EXPORT_HOURS} * interval '1 hour'`.execute(
    across,
  )
}

/** Removed exports, and failed ones, whose parts are of no use. */
export async function listRemoved(across: Kysely<Tables>): Promise<Removed[]> {
  const { rows } = await sql<Removed>`
    select org_id, id, deleted_at is null as is_failed from export
    where deleted_at is not null or (status = 'failed' and worker is not null)
    order by coalesce(deleted_at, finished_at) limit 20`.execute(across)
  return rows
}

/** Deletes some parts of an export, and finally a removed export. Returns whether something is left. Safe in several processes. */
export async function deleteSome(db: Db, { org_id, id, is_failed }: Removed, parts = 64): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from export_part where org_id = ${org_id} and export_id = ${id} and (file, part) in (
      select file, part from export_part where org_id = ${org_id} and export_id = ${id} limit ${parts})`.execute(
    db,
  )
  if (numAffectedRows > 0n) return true
  if (is_failed)
    await sql`update export set worker = null where org_id = ${org_id} and id = ${id} and status = 'failed'`.execute(
      db,
    )
  else
    await sql`delete from export where org_id = ${org_id} and id = ${id} and deleted_at is not null`.execute(
      db,
    )
  return false
}
