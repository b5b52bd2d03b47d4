import { orgState, type OrgState } from '@whereabouts/contracts/messages/keys-state'
import { enqueue } from '@whereabouts/db/outbox/outbox'
import type { OrgRow, Tx } from '../../db.ts'

export const toOrgState = (org: OrgRow): OrgState => ({
  org_id: org.id,
  revision: org.revision,
  name: org.name,
  subscription_ends_at: org.subscription_ends_at,
  limits: org.limits,
  retention_days: org.retention_days,
})

/** Call under the lock of the organization's row, with the row that the change returned. */
export const enqueueOrgState = (tx: Tx, org: OrgRow): Promise<void> =>
  enqueue(tx, orgState, [toOrgState(org)])
