// The floor for a delivery: only sign and POST, over a given number of connections. A separate process, like the
// dispatcher.
import { createHmac } from 'node:crypto'
import { Client } from 'undici'
import { bodyOf, deliveryIdOf, timestampOf } from './events.ts'
import type { FloorJob } from './floor.ts'

const SECRET = `whsec_${'0123456789abcdef'.repeat(4)}`

async function post(client: Client, path: string, number: number): Promise<void> {
  const [body, timestamp] = [Buffer.from(bodyOf(number)), timestampOf()]
  const hmac = createHmac('sha256', SECRET).update(`${timestamp}.`).update(body)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhooks/1',
    'x-service-event': 'asset.moved',
    'x-service-delivery': deliveryIdOf(number),
    'x-service-timestamp': timestamp,
    'x-service-signature': `sha256=${hmac.digest('hex')}`,
  }
  const reply = await client.request({ method: 'POST', path, headers, body })
  await reply.body.dump()
  if (reply.statusCode !== 204) throw new Error(`the receiver answered ${reply.statusCode}`)
}

async function run({ url, ca, connections, from, deliveries, orgs }: FloorJob): Promise<void> {
  const clients = Array.from({ length: connections }, () => new Client(url, { connect: { ca } }))
  let next = from
  const loop = async (client: Client) => {
    while (next < from + deliveries) {
      const number = next
      next += 1
      await post(client, `/hook/${number % orgs}`, number)
    }
  }
  await Promise.all(clients.map(loop))
  await Promise.all(clients.map((client) => client.close()))
}

process.on('message', (job: FloorJob) => {
  run(job).then(
    () => process.send?.({}),
    (error: unknown) => process.send?.({ failed: String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
process.on('SIGINT', () => {}) // see receiver-process.ts
process.send?.('ready')
