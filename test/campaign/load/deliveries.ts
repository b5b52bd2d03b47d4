import { createHash } from 'node:crypto'
import { webhookSignature } from '@whereabouts/client/webhooks'
import type { Receiver } from '@whereabouts/testing/receiver'
import { setTimeout as wait } from 'node:timers/promises'
import type { Delivery } from '../ledger/ledger.ts'
import type { Tenant } from './tenant.ts'

const SLOW_MS = 1_500

/**
 * The endpoints of all organizations. The first request of some deliveries is answered with an error, late, or not at
 * all, chosen by their ids; every further one is answered at once. So no delivery is given up because of them.
 */
export function receiveDeliveries(receiver: Receiver, tenants: readonly Tenant[]): Delivery[] {
  const deliveries: Delivery[] = []
  const seen = new Set<string>()
  receiver.respondWith(async ({ path, headers, body, receivedAt }, response) => {
    const tenant = tenants.find(({ n }) => path.startsWith(`/${n}`))
    if (!tenant) throw new Error(`a delivery to ${path}, which nobody registered`)
    const deliveryId = headers['x-service-delivery'] ?? ''
    const text = body.toString()
    const expected = await webhookSignature(text, headers['x-service-timestamp'] ?? '', tenant.webhook.secret)
    const delivery = {
      atMs: receivedAt,
      deliveryId,
      body: text,
      orgId: tenant.id,
      hasValidSignature: headers['x-service-signature'] === expected,
      status: 0,
    }
    deliveries.push(delivery)
    const mood = seen.has(deliveryId) ? 'good' : moodOf(deliveryId)
    seen.add(deliveryId)
    if (mood === 'silent') return
    if (mood === 'slow') await wait(SLOW_MS)
    delivery.status = mood === 'failing' ? 500 : 204
    response.writeHead(delivery.status).end()
  })
  return deliveries
}

/** Of a hundred deliveries, eight fail at first, three are slow, and one is not answered. */
function moodOf(deliveryId: string): 'good' | 'failing' | 'slow' | 'silent' {
  const number = createHash('sha256').update(deliveryId).digest().readUInt16BE() % 100
  if (number < 8) return 'failing'
  if (number < 11) return 'slow'
  return number === 11 ? 'silent' : 'good'
}
