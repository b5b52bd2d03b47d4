import { escapeIdentifier, escapeLiteral } from 'pg'
import { ask, NAME, quoted, type Sides, type Table } from './sides.ts'
import { copyPartitions, tablesOf } from './tables.ts'

/** Said at the old server once the new one has everything. From then on there is no way back. */
const MOVED = 'moved'

/** How far the copy is. */
export type Progress = {
  /** Tables and partitions whose first copy is complete, of all. */
  copied: number
  tables: number
  /** Of the old server's log, which the new one has not yet. */
  behindBytes: number
}

export async function publish({ from, schemas }: Sides): Promise<void> {
  if ((await ask(from, 'select 1 from pg_publication where pubname = $1', [NAME])).length > 0) return
  const list = schemas.map((schema) => escapeIdentifier(schema)).join(', ')
  await from.query(`create publication ${NAME} for tables in schema ${list}`)
}

export const isSubscribed = async ({ to }: Sides): Promise<boolean> =>
  (await ask(to, `select 1 from pg_subscription where subname = $1`, [NAME])).length > 0

/** Begins the copy of all tables; then changes follow. Rows are written by the administrator, whom no row security hides them from. */
export async function subscribe({ to, source }: Sides): Promise<void> {
  await to.query(
    `create subscription ${NAME} connection ${escapeLiteral(source)} publication ${NAME} with (run_as_owner = true)`,
  )
}

/** Also follows partitions that are new at the old server. */
export async function follow(sides: Sides): Promise<Progress> {
  await copyPartitions(sides)
  const listed = `select n.nspname as schema, c.relname as name, r.srsubstate = 'r' as ready from pg_subscription_rel r
    join pg_class c on c.oid = r.srrelid join pg_namespace n on n.oid = c.relnamespace
    join pg_subscription s on s.oid = r.srsubid and s.subname = $1`
  const known = await ask<Table & { ready: boolean }>(sides.to, listed, [NAME])
  const tables = await tablesOf(sides.from, sides.schemas)
  const names = new Set(known.map(quoted))
  if (tables.some((table) => !names.has(quoted(table))))
    await sides.to.query(`alter subscription ${NAME} refresh publication`)
  return {
    tables: tables.length,
    copied: known.filter(({ ready }) => ready).length,
    behindBytes: await bytesBehind(sides),
  }
}

/**
 * Where the log of the old server ends, behind all that is committed, also with `synchronous_commit=off`: a message of ours is put there
 * and written.
 */
export async function endOfLog({ from }: Sides): Promise<string> {
  const text = `select pg_logical_emit_message(false, $1, 'end', true)::text as lsn`
  return (await ask<{ lsn: string }>(from, text, [NAME]))[0]?.lsn ?? '0/0'
}

/** How much of the old server's log until `end`, or until now, the new one has not yet. */
export async function bytesBehind({ from }: Sides, end?: string): Promise<number> {
  const text = `select pg_wal_lsn_diff(coalesce($2::pg_lsn, pg_current_wal_lsn()), confirmed_flush_lsn)::text as bytes
    from pg_replication_slots where slot_name = $1`
  const [slot] = await ask<{ bytes: string }>(from, text, [NAME, end ?? null])
  if (!slot) throw new Error(`the old server has no replication slot ${NAME}: run --undo, then --start`)
  return Math.max(0, Number(slot.bytes))
}

/** How often the new server failed to copy or apply something. It retries. */
export async function countErrors({ to }: Sides): Promise<number> {
  const text = `select apply_error_count + sync_error_count as count from pg_stat_subscription_stats where subname = $1`
  const [row] = await ask<{ count: string }>(to, text, [NAME])
  return Number(row?.count ?? 0)
}

export async function markMoved({ from }: Sides): Promise<void> {
  await from.query(`comment on publication ${NAME} is '${MOVED}'`)
}

export async function isMoved({ from }: Sides): Promise<boolean> {
  const text = `select 1 from pg_publication where pubname = $1 and obj_description(oid, 'pg_publication') = $2`
  return (await ask(from, text, [NAME, MOVED])).length > 0
}

/** Ends the copy. Drops the slot at the old server too, so that its log is not kept for ever. */
export async function unsubscribe(sides: Sides): Promise<void> {
  if (await isSubscribed(sides)) await sides.to.query(`drop subscription ${NAME}`)
}

export async function unpublish({ from }: Sides): Promise<void> {
  await from.query(`drop publication if exists ${NAME}`)
}
