import type { Actor } from '@whereabouts/contracts/messages/audit'
import { audit, changesOf } from '@whereabouts/db/outbox/audit'
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

/** `before` undefined: it is new. Call with the row that the change returned. */
export const auditOrg = (tx: Tx, before: OrgRow | undefined, after: OrgRow, guest?: Actor): Promise<void> => {
  const action = before ? 'org.update' : 'org.create'
  const subject = { type: 'org', id: after.id }
  return audit(
    tx,
    after.id,
    { action, subject, changes: changesOf(before && settings(before), settings(after)) },
    guest,
  )
}

const settings = ({ name, subscription_ends_at, api_key_limit, limits, retention_days }: OrgRow) => ({
  name,
  subscription_ends_at,
  api_key_limit,
  limits,
  retention_days,
})
