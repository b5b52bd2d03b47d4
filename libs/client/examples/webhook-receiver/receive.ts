import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import {
  isAssetMoved,
  verifyWebhook,
  WebhookVerificationError,
  type WebhookEvent,
} from '../../src/webhooks.ts'
import type { Places } from './places.ts'

export type ReceiverOptions = {
  secrets: readonly string[]
  path: string
  toleranceSeconds: number
  places: Places
  /** Called for a genuine event that is too old to be applied: events were missed, and the report has them. */
  onStale: () => void
  say: (what: string, fields?: object) => void
}

/**
 * A delivery is well below 4 KiB. A larger body is read up to `MAX_DRAINED_BYTES`, so that the sender gets its
 * answer.
 */
const MAX_BODY_BYTES = 64 * 1024
const MAX_DRAINED_BYTES = 1024 * 1024

/**
 * Answers deliveries: 204 for a genuine one, 400 for any other, 500 if it could not be stored, so that it is sent
 * again. Storing takes a millisecond. Longer work must follow after the answer, which must come within 5 s.
 */
export function receiver(options: ReceiverOptions): RequestListener {
  return (request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      options.say('failed', { error: String(error) })
      if (response.headersSent) response.destroy()
      else end(response, 500)
    })
  }
}

const end = (response: ServerResponse, status: number, headers = {}) =>
  response.writeHead(status, headers).end()

async function answer(options: ReceiverOptions, request: IncomingMessage, response: ServerResponse) {
  const path = (request.url ?? '').split('?', 1)[0]
  const body = await readBody(request)
  if (path !== options.path) return end(response, 404)
  if (request.method !== 'POST') return end(response, 405, { allow: 'POST' })
  if (!body) return end(response, 413, { connection: 'close' })
  return end(response, await statusOf(options, request, body))
}

/** Undefined if the body is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_DRAINED_BYTES) break
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  return bytes > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks)
}

async function statusOf(options: ReceiverOptions, request: IncomingMessage, body: Buffer): Promise<number> {
  const { secrets, toleranceSeconds, places, onStale, say } = options
  try {
    const event = await verifyWebhook(body, request.headers, secrets, { toleranceSeconds })
    say(places.take(event), summaryOf(event))
    return 204
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    say('refused', { code: error.code, why: error.message })
    // After a 4xx it would come twice more, still too old, and delay the events behind it.
    if (error.isGenuine) onStale()
    return error.isGenuine ? 204 : 400
  }
}

function summaryOf(event: WebhookEvent) {
  const { delivery_id, occurred_at } = event
  if (!isAssetMoved(event)) return { event: event.event, delivery_id, occurred_at }
  const { asset, from_location: from, to_location: to } = event.data
  return { asset: asset.external_key, from: from?.name ?? null, to: to.name, occurred_at, delivery_id }
}
