import { violatedConstraint } from '@whereabouts/db/connect/constraint-violation'
import { sql, type Kysely } from 'kysely'
import type { Tables, Tx } from '../../db.ts'
import type { ImportRow } from './imports.queries.ts'

/** An import that a worker has taken, until its lease expires. */
export type Claim = { org_id: number; id: number; dry_run: boolean }

/** Longer than a batch takes. Then another worker may take the import. */
const LEASE = sql`clock_timestamp() + interval '30 seconds'`

/**
 * When an import of the organization of `next` was last processed. Organizations take turns, so five waiting imports
 * of one do not all run before a later one of another.
 */
const SERVED_AT = sql`(
  select max(greatest(served.finished_at, served.worked_at)) from import as served
  where served.org_id = next.org_id and served.started_at is not null)`

/**
 * Takes the oldest import of the organization whose last turn, or arrival, was longest ago. Skips organizations with
 * another running import. Undefined if there is nothing to do. `across` sees the imports of all organizations.
 *
 * A later import is not taken even while another worker has locked the oldest one and not yet set it to running. With
 * `skip locked` alone, about one in a hundred simultaneous claims took the later one first. A running import that was
 * released waits for no pending one: those wait for it.
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
          select from import as earlier
          where earlier.org_id = next.org_id and earlier.id <> next.id
            and (earlier.state = 'running'
              or next.state = 'pending' and earlier.state = 'pending' and earlier.deleted_at is null
                and (earlier.dry_run or not ${onlyDryRuns}::boolean)
                and (earlier.worked_at, earlier.id) < (next.worked_at, next.id)))
      order by greatest(next.worked_at, ${SERVED_AT}), next.worked_at limit 1
      for update of next skip locked)
    returning org_id, id, dry_run`.execute(across)
  const { rows } = await claimed.catch((error: unknown) => {
    // Two workers took two imports of one organization at the same time. One of them fails.
    if (violatedConstraint(error) === 'import_one_running') return { rows: [] }
    throw error
  })
  return rows[0]
}

/** Locks the import and renews the lease. Undefined if another worker has taken it, or if it was cancelled. */
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

/** Gives the import back, for any worker, now or after a pause. It goes to the end of the queue. */
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
