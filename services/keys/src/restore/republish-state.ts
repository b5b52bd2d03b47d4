import { keyState, memberState, orgState } from '@whereabouts/contracts/messages/keys-state'
import {
  idsOfSubject,
  republishKeysState,
  type RepublishReply,
} from '@whereabouts/contracts/messages/republish-state'
import { Uuid } from '@whereabouts/contracts/rules/ids'
import { enqueue } from '@whereabouts/db/outbox/outbox'
import { RefusedError } from '@whereabouts/messaging/messages/request'
import { toKeyState } from '../credentials/api-keys/api-keys.state.ts'
import type { Db, Tx } from '../db.ts'
import { toMemberState } from '../organizations/members/members.state.ts'
import { toOrgState } from '../organizations/orgs/orgs.state.ts'

/**
 * Enqueues the current state of a subject of KEYS again, for a service that lacks it or cannot read it. Throws `RefusedError` for any other payload.
 */
export async function republishState(db: Db, payload: unknown): Promise<RepublishReply> {
  const parsed = republishKeysState.request.safeParse(payload)
  if (!parsed.success) throw new RefusedError('not a request for a state')
  const [, kind, ...ids] = parsed.data.subject.split('.')
  // Locks the row until its state is in the outbox, so that no newer state is queued before.
  const published = await db.transaction().execute(async (tx) => {
    if (kind === 'org') return republishOrg(tx, ids)
    if (kind === 'member') return republishMember(tx, ids)
    if (kind === 'key') return republishKey(tx, ids)
    return 0
  })
  return { published: published > 0 }
}

async function republishOrg(tx: Tx, ids: string[]): Promise<number> {
  const [id] = idsOfSubject(ids, 1) ?? []
  if (id === undefined) return 0
  const rows = await tx.selectFrom('org').selectAll().where('id', '=', id).forShare().execute()
  await enqueue(tx, orgState, rows.map(toOrgState))
  return rows.length
}

async function republishMember(tx: Tx, ids: string[]): Promise<number> {
  const [orgId, userId] = idsOfSubject(ids, 2) ?? []
  if (orgId === undefined || userId === undefined) return 0
  const rows = await tx
    .selectFrom('membership')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .forShare()
    .execute()
  await enqueue(tx, memberState, rows.map(toMemberState))
  return rows.length
}

async function republishKey(tx: Tx, [jti, ...more]: string[]): Promise<number> {
  if (jti === undefined || more.length > 0 || !Uuid.safeParse(jti).success) return 0
  const rows = await tx.selectFrom('api_key').selectAll().where('jti', '=', jti).forShare().execute()
  await enqueue(tx, keyState, rows.map(toKeyState))
  return rows.length
}
