import { setTimeout as pause } from 'node:timers/promises'
import { sql, type Kysely, type Transaction } from 'kysely'
import { listOrganizationTables, type OrganizationTable } from './organization-tables.ts'

/** Handles the rows of a table in the transaction that deletes them, to publish that they have ended. */
type OnDeleted<T> = (tx: Transaction<T>, rows: readonly Record<string, unknown>[]) => Promise<void>

type Options<T> = {
  /** How long to work, so that the caller learns how far it is. */
  forMs?: number
  onDeleted?: Readonly<Record<string, OnDeleted<T>>>
  stopping?: AbortSignal
}

const MOST_ROWS = 2_000
const LEAST_ROWS = 16
/** Statements are kept around this duration, because rows of files are large and those of others small. */
const STATEMENT_MS = 100

/**
 * Deletes rows of an organization from all tables of the schema, for a while, as the owner of the schema. `left` is false once a look
 * into every table has found none: rows that triggers and late messages add meanwhile are found by the next call. Transactions
 * are short, and it pauses after each as long as it took, so others do not notice. Safe to end anywhere and to repeat.
 */
export async function eraseOrganization<T>(
  owner: Kysely<T>,
  orgId: number,
  { forMs = 1_000, onDeleted = {}, stopping }: Options<T> = {},
): Promise<{ deleted: number; left: boolean }> {
  if (orgId <= 0) throw new Error('organization 0 has the defaults of all') // see `createUsage`
  const until = performance.now() + forMs
  let deleted = 0
  let size = LEAST_ROWS
  for (const table of await listOrganizationTables(owner)) {
    for (let some = 1; some > 0;) {
      if (stopping?.aborted) return { deleted, left: true }
      const startedAt = performance.now()
      some = await deleteSome(owner, table, { orgId, size, onDeleted: onDeleted[table.name] })
      deleted += some
      const tookMs = performance.now() - startedAt
      if (some > 0 && performance.now() >= until) return { deleted, left: true }
      if (some > 0) await pause(tookMs)
      size = tookMs > STATEMENT_MS ? Math.max(LEAST_ROWS, size >> 1) : Math.min(MOST_ROWS, size * 2)
    }
  }
  return { deleted, left: deleted > 0 }
}

type Part<T> = { orgId: number; size: number; onDeleted: OnDeleted<T> | undefined }

function deleteSome<T>(
  owner: Kysely<T>,
  { name, parent, through }: OrganizationTable,
  { orgId, size, onDeleted }: Part<T>,
): Promise<number> {
  const table = sql.table(name)
  const childless = parent
    ? sql`and not exists (select from ${table} child where ${joined('child', parent.columns)} = ${joined('t', parent.named)})`
    : sql``
  const reached = through
    ? sql`and ${joined('t', through.columns)} in (
        select ${columnsOf('owner', through.named)} from ${sql.table(through.to)} owner where owner.org_id = ${orgId})`
    : sql``
  return owner.transaction().execute(async (tx) => {
    // The organization may be half of a table: the planner would read all of it to find the next of its rows.
    await sql`select set_config('enable_seqscan', 'off', true)`.execute(tx)
    const { rows, numAffectedRows = 0n } = await sql<Record<string, unknown>>`
      delete from ${table} where ctid = any(array(
        select t.ctid from ${table} t where t.org_id = ${orgId} ${childless} ${reached} limit ${size}))
      ${onDeleted ? sql`returning *` : sql``}`.execute(tx)
    if (onDeleted && rows.length > 0) await onDeleted(tx, rows)
    return onDeleted ? rows.length : Number(numAffectedRows)
  })
}

const columnsOf = (alias: string, columns: readonly string[]) =>
  sql.join(columns.map((column) => sql.ref(`${alias}.${column}`)))

const joined = (alias: string, columns: readonly string[]) => sql`(${columnsOf(alias, columns)})`
