import { randomUUID } from 'node:crypto'
import { serviceUnavailable } from '@whereabouts/service-kit/errors'
import { assetMovedPayload, type Payload } from '../receivers/asset-moved-body.ts'
import type { Post, PostResult } from '../receivers/http-post.ts'
import { postSigned } from '../receivers/signed-request.ts'

/** Of all organizations: this much memory and no more is lent to receivers that are tried and hang. */
const AT_ONCE = 64

/** Assets and locations have ids above 2^50 (`idShares`), so these are nobody's. */
const FAKE_ID = { asset: 1, origin: 2, destination: 3 } as const

/** D11.5, in the shape of the real ones; its `delivery_id` is its own each time. */
export function testPayload(orgId: number, now: number): Payload {
  const payload = assetMovedPayload({
    delivery_id: randomUUID(),
    org_id: orgId,
    occurred_at: new Date(now).toISOString(),
    kind: 'scan',
    asset: { id: FAKE_ID.asset, external_key: 'TEST-ASSET', name: 'Test Asset' },
    from_location: { id: FAKE_ID.origin, name: 'Test Origin' },
    to_location: { id: FAKE_ID.destination, name: 'Test Destination' },
  })
  if (!payload) throw new Error('the time of a test event is no timestamp')
  return payload
}

export type SendTest = (target: { url: string; secret: string }, payload: Payload) => Promise<PostResult>

const never = new AbortController().signal

/**
 * Sends test events outside the lanes, which have their own limits and may be full. Guard, signature and time limit are
 * those of deliveries. Throws service_unavailable while too many are under way.
 */
export function testSender(post: Post): SendTest {
  let running = 0
  return async (target, payload) => {
    if (running >= AT_ONCE) throw serviceUnavailable()
    running += 1
    try {
      return await postSigned(post, target, payload, never)
    } finally {
      running -= 1
    }
  }
}
