import { audit, changesOf } from '@whereabouts/db/outbox/audit'
import { limits } from '@whereabouts/contracts/limits'
import type { FileColumn, RowOutcome } from '@whereabouts/contracts/resources/catalog/imports'
import { sql, type Kysely, type Selectable } from 'kysely'
import type { Db, Tables, Tx } from '../../db.ts'
import { tooManyImports } from '../../errors.ts'

export type ImportRow = Selectable<Tables['import']>

export const rowsDone = (row: Pick<ImportRow, RowOutcome>): number =>
  row.created + row.updated + row.unchanged + row.failed

/** After this silence, the sender of a file counts as gone. */
const UPLOAD_LEASE = sql`clock_timestamp() + interval '5 minutes'`

const storedImports = (db: Db, orgId: number) =>
  db.selectFrom('import').where('org_id', '=', orgId).where('deleted_at', 'is', null)

/** The imports that the API shows: without uploads in progress. */
const visibleImports = (db: Db, orgId: number) => storedImports(db, orgId).where('state', '<>', 'uploading')

export function findImport(db: Db, orgId: number, id: number): Promise<ImportRow | undefined> {
  return visibleImports(db, orgId).selectAll().where('id', '=', id).executeTakeFirst()
}

/** Like `findImport`. Locks the import until the transaction ends, and waits for a running batch. */
export function lockImport(tx: Tx, orgId: number, id: number): Promise<ImportRow | undefined> {
  return visibleImports(tx, orgId).selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export async function listImports(
  db: Db,
  orgId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: ImportRow[]; total: number }> {
  const count = visibleImports(db, orgId).select((eb) => eb.fn.countAll<number>().as('total'))
  const { total } = await count.executeTakeFirstOrThrow()
  if (offset >= total) return { rows: [], total }
  const newest = visibleImports(db, orgId).selectAll().orderBy('created_at', 'desc').orderBy('id')
  return { rows: await newest.limit(limit).offset(offset).execute(), total }
}

/**
 * Throws `tooManyImports`. Lets one transaction per organization begin an import, until it ends. `userId` is null for
 * callers that are not users.
 */
export async function admitImport(tx: Tx, orgId: number, userId: number | null): Promise<void> {
  const name = `imports:${orgId}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
  const unfinished = await storedImports(tx, orgId)
    .select(['id', 'state', 'created_by'])
    .where('state', 'in', ['uploading', 'pending', 'running'])
    .where(sql<boolean>`(state <> 'uploading' or lease_until > clock_timestamp())`)
    .orderBy('created_at')
    .execute()
  const own = unfinished.filter(({ created_by }) => userId !== null && created_by === userId)
  if (own[0] && own.length >= limits.unfinishedImports.user) throw tooManyImports('user', own[0])
  const [oldest] = unfinished
  if (oldest && unfinished.length >= limits.unfinishedImports.organization)
    throw tooManyImports('organization', oldest)
}

type NewUpload = Pick<ImportRow, 'resource' | 'dry_run' | 'empty_cells' | 'created_by'> & {
  columns: readonly FileColumn[]
  unread_columns: readonly string[]
}

/** Call after `admitImport`. The API does not show the import until `finishUpload`. */
export async function beginUpload(tx: Tx, orgId: number, upload: NewUpload): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into import (org_id, id, file_id, resource, dry_run, empty_cells, state, columns, unread_columns, created_by, lease_until)
    select ${orgId}, minted.id, minted.id, ${upload.resource}, ${upload.dry_run}, ${upload.empty_cells}, 'uploading',
           ${[...upload.columns]}::text[], ${[...upload.unread_columns]}::text[], ${upload.created_by}::bigint, ${UPLOAD_LEASE}
    from (select mint_id() as id) as minted
    returning id`.execute(tx)
  return rows[0]?.id ?? 0
}

/** False if the import was removed because its sender was silent for too long. */
export async function renewUpload(tx: Tx, orgId: number, id: number): Promise<boolean> {
  const renewed = await tx
    .updateTable('import')
    .set({ lease_until: UPLOAD_LEASE as never })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('state', '=', 'uploading')
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return renewed !== undefined
}

/** Marks the file as complete. Undefined if the import was removed meanwhile. */
export function finishUpload(
  db: Db,
  orgId: number,
  id: number,
  { first_names, ...read }: Pick<ImportRow, 'rows_total' | 'encoding' | 'first_names' | 'is_reordered'>,
): Promise<ImportRow | undefined> {
  return db
    .updateTable('import')
    .set({
      ...read,
      first_names: sql<string[]>`${first_names}::text[]`,
      state: 'pending',
      lease_until: null,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('state', '=', 'uploading')
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

/** Hides the import. The purge loop deletes its rows. */
export async function removeImport(db: Db, orgId: number, id: number): Promise<void> {
  await db
    .updateTable('import')
    .set({ deleted_at: sql<string>`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute()
}

/** Stores that an import has ended, and returns it. Call `endImport`, which says so too. */
export async function storeEnd(
  tx: Tx,
  { org_id, id, dry_run, file_id }: Pick<ImportRow, 'org_id' | 'id' | 'dry_run' | 'file_id'>,
  state: 'done' | 'cancelled' | 'failed',
): Promise<ImportRow | undefined> {
  const { rows } = await sql<ImportRow>`
    update import set state = ${state}, finished_at = clock_timestamp(), worker = null, lease_until = null
    where org_id = ${org_id} and id = ${id} returning *`.execute(tx)
  await sql`delete from import_fact where org_id = ${org_id} and import_id = ${id}`.execute(tx)
  // A dry run may still be applied. Of other imports, only failed rows are read again: they can be downloaded.
  if (!dry_run && file_id === id)
    await sql`delete from import_line as given where org_id = ${org_id} and file_id = ${id} and not exists (
      select from import_row as failed
      where failed.org_id = ${org_id} and failed.import_id = ${id} and failed.outcome = 'failed'
        and failed.line = given.line)`.execute(tx)
  return rows[0]
}

/** The import that applies a dry run, if there is one. */
export function findApplied(tx: Tx, orgId: number, dryRunId: number): Promise<ImportRow | undefined> {
  return visibleImports(tx, orgId).selectAll().where('applied_from', '=', dryRunId).executeTakeFirst()
}

/** Call under `lockImport` of the dry run, after `admitImport`. The import reads the lines of the dry run. */
export function insertApplied(tx: Tx, dryRun: ImportRow, createdBy: number | null): Promise<ImportRow> {
  const { org_id, id, resource, columns, file_id, rows_total } = dryRun
  const { encoding, empty_cells, first_names, unread_columns, is_reordered } = dryRun
  const texts = <T extends string>(list: readonly T[]) => sql<T[]>`${[...list]}::text[]`
  return tx
    .insertInto('import')
    .values({
      org_id,
      resource,
      dry_run: false,
      state: 'pending',
      columns: texts(columns),
      file_id,
      applied_from: id,
      rows_total,
      encoding,
      empty_cells,
      first_names: texts(first_names),
      unread_columns: texts(unread_columns),
      is_reordered,
      created_by: createdBy,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

type BatchCounts = Record<RowOutcome | 'warned' | 'tags_removed', number>

/** Adds the outcomes of a batch, and stores its last line. */
export async function advanceImport(
  tx: Tx,
  { org_id, id }: Pick<ImportRow, 'org_id' | 'id'>,
  lastLine: number,
  counts: BatchCounts,
): Promise<void> {
  await sql`update import set last_line = ${lastLine}, created = created + ${counts.created},
      updated = updated + ${counts.updated}, unchanged = unchanged + ${counts.unchanged},
      failed = failed + ${counts.failed}, warned = warned + ${counts.warned},
      tags_removed = tags_removed + ${counts.tags_removed}
    where org_id = ${org_id} and id = ${id}`.execute(tx)
}

/** `waiting`: longest time since an unfinished import was processed, in seconds; null without one. */
type Counts = { states: Record<string, number>; waiting: number | null }

/** Counts the imports of all organizations, which are few. `across` sees them all. */
export async function countImports(across: Kysely<Tables>): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select coalesce(jsonb_object_agg(state, imports), '{}') as states,
           extract(epoch from clock_timestamp() - min(oldest))::float8 as waiting
    from (select state, count(*) as imports,
                 min(worked_at) filter (where state in ('pending', 'running')) as oldest
          from import where deleted_at is null group by state) counted`.execute(across)
  return rows[0] ?? { states: {}, waiting: null }
}

/**
 * Whether at most this many messages wait in the outbox. All changes share it, so imports that fill it would delay the
 * changes of all organizations.
 */
export async function hasRoom(owner: Kysely<Tables>, atMost: number): Promise<boolean> {
  const { rows } = await sql`select from outbox order by id limit 1 offset ${atMost}`.execute(owner)
  return rows.length === 0
}

/** One row of the audit for all that it changes (D15.4). */
export const auditImport = (
  tx: Tx,
  verb: 'create' | 'delete',
  { org_id, ...row }: ImportRow,
): Promise<void> => {
  const shown = { resource: row.resource, dry_run: row.dry_run, rows_total: row.rows_total }
  const changes = verb === 'create' ? changesOf(undefined, shown) : changesOf(shown, undefined)
  return audit(tx, org_id, { action: `import.${verb}`, subject: { type: 'import', id: row.id }, changes })
}
