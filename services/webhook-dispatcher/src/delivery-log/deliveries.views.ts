import type {
  EndpointDelivery,
  EndpointDeliveryDetail,
} from '@whereabouts/contracts/resources/webhooks/deliveries'
import type { Attempt } from '../db.ts'
import type { DeliveryDetail, DeliveryRow } from './deliveries.queries.ts'

/** A row of the list. */
export function deliveryView(row: DeliveryRow): EndpointDelivery {
  return { ...shared(row), attempts: row.attempts }
}

/** With the JSON that is sent, and all attempts instead of their number. */
export function detailView(row: DeliveryDetail): EndpointDeliveryDetail {
  const { delivery_id, type, occurred_at, data } = row
  const body = data && { event: type, delivery_id, occurred_at, data }
  return { ...shared(row), attempts: row.log.map(attemptView), body }
}

function shared({ delivery_id, type, occurred_at, state, next_attempt_at, log }: DeliveryRow) {
  const last = log.at(-1)
  return { delivery_id, type, occurred_at, state, next_attempt_at, last: last ? attemptView(last) : null }
}

const attemptView = ({ at, status_code, error, latency_ms }: Attempt): Attempt => ({
  at,
  status_code,
  error,
  latency_ms,
})
