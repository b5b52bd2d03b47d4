import { nextRevision } from '@whereabouts/db/outbox/revisions'
import { roles, type Role } from '@whereabouts/contracts/principal'
import type { KeyState, MemberState, OrgState } from '@whereabouts/contracts/messages/keys-state'
import { sql } from 'kysely'
import type { ApiKeyRow, Db, Tx } from '../db.ts'
import { deleteOrganization } from '../credentials/deletion/delete-organization.ts'
import { noteDeleted } from '../credentials/deletion/deletion.queries.ts'
import { insertPendingDisconnect } from '../brokers/disconnects/disconnects.queries.ts'

/** `older`: the row was older and has been changed; `same`: no change was needed; `missing`: there is no row. */
export type Applied = 'older' | 'same' | 'missing'

/**
 * Applies a revocation of any revision, and never undoes one. Also disconnects the readers of a missing key,
 * because nobody could revoke it.
 */
export async function applyKey(tx: Tx, state: KeyState): Promise<Applied> {
  const { org_id: orgId, jti } = state
  const row = await tx
    .selectFrom('api_key')
    .select(['revision', 'revoked_at'])
    .where('org_id', '=', orgId)
    .where('jti', '=', jti)
    .executeTakeFirst()
  const isRevoked = state.revoked_at !== null && row?.revoked_at === null
  if (!row || isRevoked) await insertPendingDisconnect(tx, jti)
  if (!row) return 'missing'
  if (!isRevoked && state.revision <= row.revision) return 'same'
  await tx
    .updateTable('api_key')
    .set({ revision: nextRevision, revoked_at: row.revoked_at ?? state.revoked_at })
    .$if(state.revision > row.revision, (update) =>
      update.set({
        name: state.name,
        rate_limit_per_minute: state.rate_limit_per_minute,
        message_rate_per_second: state.message_rate_per_second ?? null,
      }),
    )
    .where('org_id', '=', orgId)
    .where('jti', '=', jti)
    .execute()
  return 'older'
}

/** Applies removals, which cascade to sessions and invitations, and changes of role. */
export async function applyMember(tx: Tx, state: MemberState): Promise<Applied> {
  const { org_id: orgId, user_id: userId } = state
  const row = await tx
    .selectFrom('membership')
    .select('revision')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!row) return state.deleted_at === null ? 'missing' : 'same'
  if (state.revision <= row.revision) return 'same'
  if (state.deleted_at === null)
    await tx
      .updateTable('membership')
      .set({ role: roleOf(state), revision: nextRevision })
      .where('org_id', '=', orgId)
      .where('user_id', '=', userId)
      .execute()
  else await tx.deleteFrom('membership').where('org_id', '=', orgId).where('user_id', '=', userId).execute()
  return 'older'
}

/** A role that this release does not know may only read. */
const roleOf = ({ role }: MemberState): Role => roles.find((known) => known === role) ?? 'viewer'

/** A deletion counts in any revision, and is never undone. Of a missing organization it is noted, for restores to come. */
export async function applyOrg(tx: Tx, state: OrgState): Promise<Applied> {
  if (state.deleted_at) return applyDeletion(tx, state, state.deleted_at)
  const row = await tx.selectFrom('org').select('revision').where('id', '=', state.org_id).executeTakeFirst()
  if (!row) return 'missing'
  if (state.revision <= row.revision) return 'same'
  const { name, subscription_ends_at, limits = {}, retention_days, timezone } = state
  await tx
    .updateTable('org')
    .set({
      name,
      subscription_ends_at,
      limits: sql`${JSON.stringify(limits)}::jsonb`,
      ...(timezone !== undefined && { timezone }),
      ...(retention_days && { retention_days: sql`${JSON.stringify(retention_days)}::jsonb` }),
      revision: nextRevision,
    })
    .where('id', '=', state.org_id)
    .execute()
  return 'older'
}

async function applyDeletion(tx: Tx, state: OrgState, deletedAt: string): Promise<Applied> {
  if (await deleteOrganization(tx, state.org_id)) return 'older'
  const noted = { id: state.org_id, revision: state.revision, deleted_at: deletedAt }
  await noteDeleted(tx, noted)
  return 'same'
}

/**
 * Ends all refresh tokens, invitations, reset links, provisioning links, mails and sign-ons: those ended or spent since the backup would be valid again.
 */
export async function endSessions(tx: Tx): Promise<{ sessions: number; invitations: number }> {
  const ended = await tx
    .updateTable('token_chain')
    .set({ revoked_at: sql`clock_timestamp()` })
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  await tx.deleteFrom('password_reset').execute()
  await tx.deleteFrom('provisioning_link').execute()
  await tx.deleteFrom('mailbox_proof').execute()
  await tx.deleteFrom('mail').execute()
  await tx.deleteFrom('sign_on').execute()
  await tx.deleteFrom('sign_on_code').execute()
  const withdrawn = await tx.deleteFrom('invitation').executeTakeFirst()
  return { sessions: Number(ended.numUpdatedRows), invitations: Number(withdrawn.numDeletedRows) }
}

/** The unrevoked keys, for an operator to check if the stream has lost the revocations. */
export function listLiveKeys(
  db: Db,
): Promise<Pick<ApiKeyRow, 'org_id' | 'id' | 'jti' | 'name' | 'created_at' | 'last_used_at'>[]> {
  return db
    .selectFrom('api_key')
    .select(['org_id', 'id', 'jti', 'name', 'created_at', 'last_used_at'])
    .where('revoked_at', 'is', null)
    .orderBy('org_id')
    .orderBy('id')
    .execute()
}
