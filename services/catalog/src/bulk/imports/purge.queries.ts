import { sql, type Kysely } from 'kysely'
import type { Db, Tables } from '../../db.ts'

export type Removed = { org_id: number; id: number; file_id: number }

/**
 * Removes uploads whose sender is silent, imports that finished a week ago (dry runs: a day), and all finished imports of an organization
 * except the newest fifty.
 */
export async function removeExpired(across: Kysely<Tables>): Promise<void> {
  await sql`
    update import set deleted_at = clock_timestamp()
    where deleted_at is null
      and (state = 'uploading' and lease_until < clock_timestamp()
        or finished_at < clock_timestamp() - case when dry_run then interval '1 day' else interval '7 days' end)`.execute(
    across,
  )
  await sql`
    update import set deleted_at = clock_timestamp()
    from (select org_id, id, row_number() over (partition by org_id order by finished_at desc, id) as place
          from import where deleted_at is null and finished_at is not null) as finished
    where import.org_id = finished.org_id and import.id = finished.id and finished.place > 50`.execute(across)
}

/** Removed imports that still have rows. */
export async function listRemoved(across: Kysely<Tables>): Promise<Removed[]> {
  const { rows } = await sql<Removed>`
    select org_id, id, file_id from import where deleted_at is not null order by deleted_at limit 20`.execute(
    across,
  )
  return rows
}

/**
 * Deletes a part of a removed import, and finally the import. Returns whether something is left. Keeps lines that
 * another import reads. Safe in several processes.
 */
export async function deletePart(db: Db, removed: Removed, rows = 5_000): Promise<boolean> {
  const { org_id, id, file_id } = removed
  const part = async (table: string, column: string, key: number) => {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)}
        where org_id = ${org_id} and ${sql.ref(column)} = ${key} limit ${rows}))`.execute(db)
    return numAffectedRows > 0n
  }
  if (await part('import_row', 'import_id', id)) return true
  if (await part('import_fact', 'import_id', id)) return true
  const others = await sql`
    select from import where org_id = ${org_id} and file_id = ${file_id} and id <> ${id} limit 1`.execute(db)
  if (others.rows.length === 0 && (await part('import_line', 'file_id', file_id))) return true
  await sql`delete from import where org_id = ${org_id} and id = ${id}`.execute(db)
  return false
}
