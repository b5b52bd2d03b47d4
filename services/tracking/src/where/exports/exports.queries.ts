import { EXPORT_HOURS } from '@whereabouts/contracts/resources/tracking/exports'
import { limits } from '@whereabouts/contracts/limits'
import { sql, type Kysely, type Selectable } from 'kysely'
import type { Db, Tables, Tx } from '../../db.ts'
import { tooManyExports } from '../../errors.ts'

export type ExportRow = Selectable<Tables['export']>
export type ExportFileRow = Omit<Selectable<Tables['export_file']>, 'org_id' | 'export_id'>

/** Without those whose time is over, which the purge removes some minutes later. */
const visible = (db: Db, orgId: number) =>
  db
    .selectFrom('export')
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .where(
      sql<boolean>`(finished_at is null or finished_at > clock_timestamp() - ${EXPORT_HOURS} * interval '1 hour')`,
    )

/** Throws `tooManyExports`. Lets one transaction per organization begin an export, until it ends. */
export async function admitExport(tx: Tx, orgId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`exports:${orgId}`}, 0))`.execute(tx)
  const unfinished = await visible(tx, orgId)
    .select('id')
    .where('status', 'in', ['queued', 'running'])
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const [oldest] = unfinished
  if (oldest && unfinished.length >= limits.unfinishedExports.organization) throw tooManyExports(oldest.id)
}

type NewExport = Pick<
  ExportRow,
  'org_id' | 'dataset' | 'format' | 'from_at' | 'to_at' | 'file_count' | 'link_key'
>

/** Call after `admitExport`. */
export const insertExport = (tx: Tx, values: NewExport): Promise<ExportRow> =>
  tx.insertInto('export').values(values).returningAll().executeTakeFirstOrThrow()

export const findExport = (db: Db, orgId: number, id: number): Promise<ExportRow | undefined> =>
  visible(db, orgId).selectAll().where('id', '=', id).executeTakeFirst()

export async function listExports(
  db: Db,
  orgId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: ExportRow[]; total: number }> {
  const count = visible(db, orgId).select((eb) => eb.fn.countAll<number>().as('total'))
  const { total } = await count.executeTakeFirstOrThrow()
  if (offset >= total) return { rows: [], total }
  const newest = visible(db, orgId).selectAll().orderBy('created_at', 'desc').orderBy('id')
  return { rows: await newest.limit(limit).offset(offset).execute(), total }
}

/** Hides the export, and stops its worker. The purge deletes it. False if there is none. */
export async function removeExport(db: Db, orgId: number, id: number): Promise<boolean> {
  const removed = await db
    .updateTable('export')
    .set({ deleted_at: sql<string>`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return removed !== undefined
}

const files = (db: Db, orgId: number, exportId: number) =>
  db
    .selectFrom('export_file')
    .select(['file', 'name', 'rows', 'bytes', 'sha256'])
    .select(sql<string | null>`to_char(day, 'YYYY-MM-DD')`.as('day'))
    .where('org_id', '=', orgId)
    .where('export_id', '=', exportId)

export const listFiles = (db: Db, orgId: number, exportId: number): Promise<ExportFileRow[]> =>
  files(db, orgId, exportId).orderBy('file').execute()

export const findFile = (
  db: Db,
  orgId: number,
  exportId: number,
  name: string,
): Promise<ExportFileRow | undefined> =>
  files(db, orgId, exportId).where('name', '=', name).executeTakeFirst()

/** What checks a link. `across` sees the exports of all organizations, because a link does not name its own. */
export async function findLinkKey(
  across: Kysely<Tables>,
  id: number,
): Promise<{ orgId: number; key: Buffer } | undefined> {
  const { rows } = await sql<{ org_id: number; link_key: Buffer }>`
    select org_id, link_key from export
    where id = ${id} and deleted_at is null
      and (finished_at is null or finished_at > clock_timestamp() - ${EXPORT_HOURS} * interval '1 hour')`.execute(
    across,
  )
  return rows[0] && { orgId: rows[0].org_id, key: rows[0].link_key }
}

/** Undefined if the export was removed meanwhile. */
export async function readPart(
  db: Db,
  orgId: number,
  exportId: number,
  { file, part }: { file: number; part: number },
): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('export_part')
    .select('body')
    .where('org_id', '=', orgId)
    .where('export_id', '=', exportId)
    .where('file', '=', file)
    .where('part', '=', part)
    .executeTakeFirst()
  return row?.body
}
