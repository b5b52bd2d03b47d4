import { sql, type Kysely } from 'kysely'
import type { Tables, Tx } from '../db.ts'
import { violatedConstraint } from '@whereabouts/db/constraint-violation'
import type { ImportRow } from './imports.queries.ts'

/** An import that a worker has taken, until its lease is over. */
export type Claim = { org_id: number; id: number; dry_run: boolean }

/** Longer than a batch takes; a worker that died is replaced after it. */
const LEASE = sql`clock_timestamp() + interval '30 seconds'`

/**
 * When somebody last worked for the organization of `next`. Its imports take turns with those of others as one: five
 * small ones that wait must not go one after the other before a sixth that came later, of somebody else.
 */
const SERVED_AT = sql`(
  select max(greatest(served.finished_at, served.worked_at)) from import as served
  where served.org_id = next.org_id and served.started_at is not null)`

/**
 * Takes the import whose turn it is: of the organization that was worked for least recently, or came last, the oldest,
 * but none of an organization that has another one running. `across` sees the imports of all of them. Undefined when
 * there is nothing to do.
 */
export async function claimImport(
  across: Kysely<Tables>,
  worker: string,
  onlyDryRuns = false,
): Promise<Claim | undefined> {
  const claimed = sql<Claim>`
    update import set worker = ${worker}::uuid, lease_until = ${LEASE}, state = 'running',
      started_at = coalesce(started_at, clock_timestamp())
    where (org_id, id) = (
      select org_id, id from import as next
      where state in ('pending', 'running') and deleted_at is null and (dry_run or not ${onlyDryRuns}::boolean)
        and (lease_until is null or lease_until < clock_timestamp())
        and not exists (
          select from import as begun
          where begun.org_id = next.org_id and begun.id <> next.id and begun.state = 'running')
      order by greatest(next.worked_at, ${SERVED_AT}), next.worked_at limit 1
      for update of next skip locked)
    returning org_id, id, dry_run`.execute(across)
  const { rows } = await claimed.catch((error: unknown) => {
    // Two workers took two imports of one organization in the same instant: one of them has it.
    if (violatedConstraint(error) === 'import_one_running') return { rows: [] }
    throw error
  })
  return rows[0]
}

/** The import, locked and with a new lease; undefined when it is not this worker's any more, or was cancelled. */
export async function holdClaim(
  tx: Tx,
  { org_id, id }: Claim,
  worker: string,
): Promise<ImportRow | undefined> {
  const { rows } = await sql<ImportRow>`
    update import set lease_until = ${LEASE}
    where org_id = ${org_id} and id = ${id} and worker = ${worker}::uuid and state = 'running'
      and deleted_at is null
    returning *`.execute(tx)
  return rows[0]
}

/** Lets others have it, at once or after a pause; it goes to the end of the line. */
export async function releaseClaim(
  across: Kysely<Tables>,
  { org_id, id }: Claim,
  worker: string,
  pauseMs = 0,
): Promise<void> {
  await sql`
    update import set worker = null, worked_at = clock_timestamp(),
      lease_until = ${pauseMs === 0 ? null : sql`clock_timestamp() + ${pauseMs} * interval '1 millisecond'`}
    where org_id = ${org_id} and id = ${id} and worker = ${worker}::uuid and state = 'running'`.execute(
    across,
  )
}
