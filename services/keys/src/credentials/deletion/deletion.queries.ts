import { nextRevision } from '@whereabouts/db/outbox/revisions'
import { sql } from 'kysely'
import type { Db, DeletedOrgRow, MembershipRow, OrgRow, Tx } from '../../db.ts'

/** Call under `lockOrg`. Its subscription ends too, which stops webhooks in every release of the dispatcher. */
export async function markDeleted(tx: Tx, orgId: number): Promise<OrgRow> {
  const now = sql<string>`clock_timestamp()`
  const org = await tx
    .updateTable('org')
    .set({ deleted_at: now, subscription_ends_at: now, revision: nextRevision })
    .where('id', '=', orgId)
    .returningAll()
    .executeTakeFirstOrThrow()
  await noteDeleted(tx, { id: org.id, revision: org.revision, deleted_at: org.deleted_at ?? undefined })
  return org
}

type Noted = { id: number; revision: number; deleted_at?: string | undefined }

/** Notes what is to be erased, from the start if it was noted before. */
export async function noteDeleted(tx: Tx, { id, revision, deleted_at }: Noted): Promise<void> {
  const values = { id, revision, ...(deleted_at !== undefined && { deleted_at }) }
  await tx
    .insertInto('deleted_org')
    .values(values)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        revision: sql`greatest(deleted_org.revision, excluded.revision)`,
        next_at: sql`clock_timestamp()`,
        gone_at: null,
      }),
    )
    .execute()
}

export type EndedMember = Pick<MembershipRow, 'org_id' | 'user_id' | 'role' | 'revision'> & {
  deleted_at: string
}

/** Sessions, invitations and links cascade. */
export function deleteMemberships(tx: Tx, orgId: number): Promise<EndedMember[]> {
  return tx
    .deleteFrom('membership')
    .where('org_id', '=', orgId)
    .returning(['org_id', 'user_id', 'role'])
    .returning(nextRevision.as('revision'))
    .returning(sql<string>`clock_timestamp()`.as('deleted_at'))
    .execute()
}

/** Claims an organization that is due. Nobody else claims it for `forSeconds`, unless this process says when it is due again. */
export async function claimDeleted(owner: Db, forSeconds: number): Promise<DeletedOrgRow | undefined> {
  const { rows } = await sql<DeletedOrgRow>`
    update deleted_org set next_at = clock_timestamp() + make_interval(secs => ${forSeconds})
    where id in (
      select id from deleted_org where next_at <= clock_timestamp()
      order by next_at limit 1 for update skip locked)
    returning *`.execute(owner)
  return rows[0]
}

/** `inSeconds` null: never again. */
export async function putOff(owner: Db, id: number, inSeconds: number | null): Promise<void> {
  await sql`
    update deleted_org set next_at = clock_timestamp() + make_interval(secs => ${inSeconds}::float8) where id = ${id}`.execute(
    owner,
  )
}

/** Counts rows that a service has erased, for the operator. */
export async function countErased(owner: Db, id: number, service: string, rows: number): Promise<void> {
  if (rows === 0) return
  await sql`
    update deleted_org set erased = erased || jsonb_build_object(${service}::text,
      coalesce((erased ->> ${service}::text)::bigint, 0) + ${rows}::bigint)
    where id = ${id}`.execute(owner)
}

/** The last row of the organization. */
export async function endOrganization(owner: Db, id: number): Promise<void> {
  await owner.transaction().execute(async (tx) => {
    await tx.deleteFrom('org').where('id', '=', id).where('deleted_at', 'is not', null).execute()
    await tx
      .updateTable('deleted_org')
      .set({ gone_at: sql`clock_timestamp()` })
      .where('id', '=', id)
      .execute()
  })
}
