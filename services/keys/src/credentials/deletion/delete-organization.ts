import { LAST_STATE_SECONDS } from '@whereabouts/contracts/messages/usage'
import { memberState } from '@whereabouts/contracts/messages/keys-state'
import { audit, changesOf } from '@whereabouts/db/outbox/audit'
import { enqueue } from '@whereabouts/db/outbox/outbox'
import { revokeAllKeys } from '../api-keys/revocation.ts'
import type { OrgRow, Tx } from '../../db.ts'
import { toMemberState } from '../../organizations/members/members.state.ts'
import { lockOrg } from '../../organizations/orgs/orgs.queries.ts'
import { enqueueOrgState } from '../../organizations/orgs/orgs.state.ts'
import { deleteMemberships, markDeleted } from './deletion.queries.ts'

/**
 * Ends all access to the organization: its keys are revoked and its members removed, so within a second tokens are refused and
 * readers are disconnected. Its rows are erased afterwards, by `erasures.loop.ts`. Undefined if there is no such organization.
 */
export async function deleteOrganization(tx: Tx, orgId: number): Promise<OrgRow | undefined> {
  const before = await lockOrg(tx, orgId)
  if (!before) return undefined
  const org = await markDeleted(tx, orgId)
  await enqueueOrgState(tx, org)
  const changes = changesOf({ name: before.name }, undefined)
  await audit(tx, orgId, { action: 'org.delete', subject: { type: 'org', id: orgId }, changes })
  await revokeAllKeys(tx, orgId)
  const members = (await deleteMemberships(tx, orgId)).map(toMemberState)
  await enqueue(tx, { ...memberState, ttlSeconds: LAST_STATE_SECONDS }, members)
  return org
}
