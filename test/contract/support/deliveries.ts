import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AssetMovedBody } from '@whereabouts/contracts/messages/webhook-events'
import type { Api } from './api.ts'
import { succeed, type Organization } from './organization.ts'

export type Received = { headers: IncomingHttpHeaders; path: string; bytes: Buffer; event: AssetMovedBody }

export type HookServer = {
  url: string
  /** Oldest first. */
  received: Received[]
  /** Answers the next requests with these statuses, then with 204 again. */
  replyWith(...statuses: number[]): void
  close(): Promise<void>
}

/** An integrator's endpoint. The system under test allows local endpoints over plain HTTP. */
export async function startHook(): Promise<HookServer> {
  const received: Received[] = []
  const statuses: number[] = []
  const reply = (response: ServerResponse) =>
    response.writeHead(statuses.shift() ?? 204, { location: hook.url }).end()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const bytes = Buffer.concat(chunks)
    const { headers, url: path = '' } = request
    received.push({ headers, path, bytes, event: JSON.parse(bytes.toString()) })
    reply(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const hook: HookServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    replyWith: (...next) => void statuses.push(...next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return hook
}

/** The signature of the contract, computed independently from the received bytes. */
export function signatureOf(secret: string, { headers, bytes }: Received): string {
  const signed = Buffer.concat([Buffer.from(`${String(headers['x-service-timestamp'])}.`), bytes])
  return `sha256=${createHmac('sha256', secret).update(signed).digest('hex')}`
}

/** Registers the endpoint. Only this reply shows the secret. */
export async function registerHook(api: Api, { admin: token }: Organization, url: string, enabled = true) {
  const { data } = (await succeed(api.call('createWebhook', { token, body: { url, enabled } }))).body
  return { id: data.id, secret: data.secret, call: { token, params: { webhook_id: data.id } } }
}
