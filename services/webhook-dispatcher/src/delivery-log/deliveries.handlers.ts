import { MOST_REPLAYED, type ReplayRequest } from '@whereabouts/contracts/resources/webhooks/deliveries'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { rejectIfAny } from '@whereabouts/service-kit/errors/errors'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { Tables } from '../db.ts'
import {
  deliveryNotFound,
  notOfTheWebhook,
  tooManyToReplay,
  webhookIsOff,
  webhookNotFound,
} from '../errors.ts'
import { cursorOf, notACursor, seqOf } from '@whereabouts/service-kit/http/cursor'
import { listAttempts } from './attempt-log.queries.ts'
import { findDelivery, listDeliveries, startAgain } from './deliveries.queries.ts'
import { deliveryView, detailView } from './deliveries.views.ts'
import { getEndpoint, type Endpoint } from './endpoint.queries.ts'
import { replay } from './replay.queries.ts'
import { countHours, countWaiting } from './stats.queries.ts'

export type DeliveryDeps = { db: Pick<TenantDatabase<Tables>, 'forOrg' | 'transaction'> }
type Asked = { principal: { orgId: number }; params: { webhook_id: number } }
type AskedAgain = Asked & { params: { delivery_id: string } }

/** What became of deliveries, and sending them again (D11.7, D13.5, D13.11). */
export function deliveryHandlers({ db: tenants }: DeliveryDeps) {
  const endpointOf = ({ principal: { orgId }, params }: Asked, kind?: { primary: true }) =>
    getEndpoint(tenants.forOrg(orgId), orgId, params.webhook_id, kind)

  async function replayTo({ id, enabled, event_types }: Endpoint, orgId: number, body: ReplayRequest) {
    if (!enabled) throw webhookIsOff()
    const { from, to, event_types: types = event_types } = body
    rejectIfAny(notOfTheWebhook(types, event_types))
    const asked = { from, to, types }
    // A transaction has more time than a read.
    const { count, oldest_occurred_at, endpoints } = await tenants.transaction(orgId, (tx) =>
      replay(tx, orgId, id, asked, MOST_REPLAYED),
    )
    if (count > MOST_REPLAYED) throw tooManyToReplay(MOST_REPLAYED)
    if (endpoints === 0) throw webhookNotFound()
    return { data: { count, oldest_occurred_at } }
  }

  async function resendTo({ id, enabled }: Endpoint, { principal: { orgId }, params }: AskedAgain) {
    if (!enabled) throw webhookIsOff()
    const isStarted = await startAgain(tenants.forOrg(orgId), orgId, id, params.delivery_id)
    if (!isStarted) throw deliveryNotFound()
    return undefined
  }

  return {
    async listWebhookDeliveries(asked) {
      const { principal, query } = asked
      const { orgId } = principal
      const { id } = await endpointOf(asked, { primary: true })
      const attempts = await listAttempts(tenants.forOrg(orgId), orgId, id)
      const data = attempts.slice(query.offset, query.offset + query.limit)
      return { data, ...query, total_count: attempts.length }
    },

    replayWebhook: async (asked) =>
      replayTo(await endpointOf(asked, { primary: true }), asked.principal.orgId, asked.body),

    resendWebhookDelivery: async (asked) => resendTo(await endpointOf(asked, { primary: true }), asked),

    async listEndpointDeliveries(asked) {
      const { orgId } = asked.principal
      const { after, limit, ...filter } = asked.query
      const { id } = await endpointOf(asked)
      const before = after === undefined ? undefined : seqOf(id, after)
      if (after !== undefined && before === undefined) throw notACursor()
      // One row more shows whether there is another page.
      const rows = await listDeliveries(tenants.forOrg(orgId), orgId, id, { ...filter, before }, limit + 1)
      const last = rows.length > limit ? rows[limit - 1] : undefined
      const data = rows.slice(0, limit).map(deliveryView)
      return { data, cursor: last ? cursorOf(id, last.seq) : null, has_more: last !== undefined }
    },

    async getEndpointDelivery(asked) {
      const { principal, params } = asked
      const { id } = await endpointOf(asked)
      const db = tenants.forOrg(principal.orgId)
      const row = await findDelivery(db, principal.orgId, id, params.delivery_id)
      if (!row) throw deliveryNotFound()
      return { data: detailView(row) }
    },

    replayEndpoint: async (asked) => replayTo(await endpointOf(asked), asked.principal.orgId, asked.body),

    resendEndpointDelivery: async (asked) => resendTo(await endpointOf(asked), asked),

    async getEndpointStats(asked) {
      const { principal, query } = asked
      const { orgId } = principal
      const endpoint = await endpointOf(asked)
      const db = tenants.forOrg(orgId)
      const waiting = await countWaiting(db, orgId, endpoint)
      const hours = await countHours(db, orgId, endpoint.id, query.hours)
      return { data: { waiting, failing_since: endpoint.failing_since, hours } }
    },
  } satisfies Partial<Handlers<'webhook-dispatcher'>>
}
