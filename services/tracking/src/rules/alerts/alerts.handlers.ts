import type { Principal } from '@whereabouts/contracts/principal'
import { audit } from '@whereabouts/db/outbox/audit'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { Tables } from '../../db.ts'
import { alertNotFound, alertResolvedAlready } from '../../errors.ts'
import { acknowledge, findAlert, listAlerts, type Acknowledger } from './alerts.queries.ts'
import { toAlertView } from './alerts.views.ts'

export type AlertDeps = {
  db: TenantDatabase<Tables>
  /** The public id and the name of a caller; null for each if keys does not answer. */
  nameCaller: (caller: Principal) => Promise<Acknowledger>
}

export const alertHandlers = ({
  db,
  nameCaller,
}: AlertDeps): Pick<
  Handlers<'tracking'>,
  'listAlerts' | 'getAlert' | 'acknowledgeAlert' | 'acknowledgeAlerts'
> => ({
  async listAlerts({ principal: { orgId }, query }) {
    const { rows, total } = await listAlerts(db.forOrg(orgId), orgId, query)
    return { data: rows.map(toAlertView), limit: query.limit, offset: query.offset, total_count: total }
  },

  async getAlert({ principal: { orgId }, params: { alert_id } }) {
    const row = await findAlert(db.forOrg(orgId), orgId, alert_id)
    if (!row) throw alertNotFound()
    return { data: toAlertView(row) }
  },

  async acknowledgeAlert({ principal, params: { alert_id }, body: { note = null } }) {
    const { orgId } = principal
    const by = await nameCaller(principal)
    const row = await db.transaction(orgId, async (tx) => {
      const [acknowledged] = await acknowledge(tx, orgId, [alert_id], { by, note })
      const found = await findAlert(tx, orgId, alert_id)
      if (!found) throw alertNotFound()
      if (acknowledged === undefined) throw alertResolvedAlready()
      await audit(tx, orgId, { action: 'alert.acknowledge', subject: { type: 'alert', id: alert_id } })
      return found
    })
    return { data: toAlertView(row) }
  },

  async acknowledgeAlerts({ principal, body: { ids } }) {
    const { orgId } = principal
    const by = await nameCaller(principal)
    const acknowledged = await db.transaction(orgId, async (tx) => {
      const found = await acknowledge(tx, orgId, [...new Set(ids)], { by, note: null })
      for (const id of found)
        await audit(tx, orgId, { action: 'alert.acknowledge', subject: { type: 'alert', id } })
      return found
    })
    return { data: { count: acknowledged.length } }
  },
})
