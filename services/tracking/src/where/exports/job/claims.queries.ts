import { violatedConstraint } from '@whereabouts/db/connect/constraint-violation'
import { sql, type Kysely } from 'kysely'
import type { ExportFormat } from '@whereabouts/contracts/resources/tracking/exports'
import type { Db, Tables } from '../../../db.ts'
import type { Range } from '../datasets.ts'
import type { Written } from './export-parts.ts'

/** An export that a worker has taken, until its lease expires. */
export type Claim = Range & {
  org_id: number
  id: number
  worker: string
  format: ExportFormat
  file_count: number
  next_file: number
  failures: number
}

/** A part or a batch takes far less. Then another replica may take the export. */
const LEASE = sql`clock_timestamp() + interval '30 seconds'`

/** When the organization of `next` last had a turn. */
const SERVED_AT = sql`(
  select max(served.worked_at) from export as served
  where served.org_id = next.org_id and served.next_file > 0)`

/**
 * Takes the export that is running, or the oldest one that waits, of the organization whose last turn, or arrival, was
 * longest ago. Undefined if there is nothing to do. `across` sees the exports of all organizations.
 */
export async function claimExport(across: Kysely<Tables>, worker: string): Promise<Claim | undefined> {
  const claimed = sql<Claim>`
    update export set worker = ${worker}::uuid, lease_until = ${LEASE}, status = 'running'
    where (org_id, id) = (
      select org_id, id from export as next
      where status in ('queued', 'running') and deleted_at is null
        and (lease_until is null or lease_until < clock_timestamp())
        and not exists (
          select from export as earlier
          where earlier.org_id = next.org_id and earlier.id <> next.id and earlier.deleted_at is null
            and (earlier.status = 'running'
              or next.status = 'queued' and earlier.status = 'queued'
                and (earlier.created_at, earlier.id) < (next.created_at, next.id)))
      order by greatest(next.worked_at, ${SERVED_AT}), next.created_at limit 1
      for update of next skip locked)
    returning org_id, id, worker, dataset, format, from_at, to_at, file_count, next_file, failures`.execute(
    across,
  )
  const { rows } = await claimed.catch((error: unknown) => {
    // Two workers took two exports of one organization at the same time. One of them fails.
    if (violatedConstraint(error) === 'export_one_running') return { rows: [] }
    throw error
  })
  return rows[0]
}

/** The export was deleted, or another worker has taken it. */
export class ClaimLost extends Error {}

const held = ({ org_id, id, worker }: Claim) =>
  sql`org_id = ${org_id} and id = ${id} and worker = ${worker}::uuid and status = 'running' and deleted_at is null`

/** Throws `ClaimLost`. */
async function whileHeld(statement: Promise<{ rows: unknown[] }>): Promise<void> {
  if ((await statement).rows.length === 0) throw new ClaimLost()
}

export const renewClaim = (db: Db, claim: Claim): Promise<void> =>
  whileHeld(sql`update export set lease_until = ${LEASE} where ${held(claim)} returning id`.execute(db))

/** Stores a part in the same statement that renews the claim, so that a worker which lost it writes nothing. */
export const storePart = (db: Db, claim: Claim, part: number, body: Buffer): Promise<void> =>
  whileHeld(
    sql`
    with held as (update export set lease_until = ${LEASE} where ${held(claim)} returning org_id, id)
    insert into export_part (org_id, export_id, file, part, body)
    select org_id, id, ${claim.next_file}::int, ${part}::int, ${body} from held returning part`.execute(db),
  )

/** Deletes what a worker that ended has left of the next file. */
export const beginFile = async (db: Db, claim: Claim): Promise<void> => {
  await renewClaim(db, claim)
  await sql`
    delete from export_part where org_id = ${claim.org_id} and export_id = ${claim.id} and file >= ${claim.next_file}`.execute(
    db,
  )
}

export type NewFile = Written & { name: string; day: string | null; rows: number }

/** Ends the next file, with its entry, or without one if it had no rows. The last one ends the export. */
export const endFile = (db: Db, claim: Claim, file: NewFile | undefined): Promise<void> =>
  whileHeld(
    sql`
    with held as (
      update export set next_file = next_file + 1, failures = 0, lease_until = ${LEASE},
        rows = rows + ${file?.rows ?? 0}, bytes = bytes + ${file?.bytes ?? 0},
        status = case when next_file + 1 = file_count then 'done' else status end,
        finished_at = case when next_file + 1 = file_count then clock_timestamp() end,
        worked_at = clock_timestamp()
      where ${held(claim)} and next_file = ${claim.next_file} returning org_id, id
    ), added as (
      insert into export_file (org_id, export_id, file, name, day, rows, bytes, sha256)
      select org_id, id, ${claim.next_file}::int, ${file?.name ?? ''}, ${file?.day ?? null}::date, ${file?.rows ?? 0}::bigint,
        ${file?.bytes ?? 0}::bigint, ${file?.sha256 ?? ''}
      from held where ${file !== undefined}::boolean)
    select from held`.execute(db),
  )

/** Gives an export that is not done back, for any worker, now or after a pause. */
export async function releaseClaim(
  across: Kysely<Tables>,
  claim: Claim,
  failure?: { pauseMs: number },
): Promise<void> {
  await sql`
    update export set worker = null, worked_at = clock_timestamp(), failures = failures + ${failure ? 1 : 0},
      lease_until = ${failure ? sql`clock_timestamp() + ${failure.pauseMs} * interval '1 millisecond'` : null}
    where ${held(claim)}`.execute(across)
}

/** Ends an export without files. The purge deletes their parts. */
export async function failExport(db: Db, claim: Claim, problem: string): Promise<void> {
  await sql`
    with held as (
      update export set status = 'failed', problem = ${problem}, finished_at = clock_timestamp(), rows = 0, bytes = 0
      where ${held(claim)} returning org_id, id)
    delete from export_file f using held where f.org_id = held.org_id and f.export_id = held.id`.execute(db)
}
