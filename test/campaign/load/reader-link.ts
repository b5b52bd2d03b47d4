import mqtt from 'mqtt'
import { connect } from 'nats'
import { setTimeout as wait } from 'node:timers/promises'
import type { ApiKey } from '../../system/organization.ts'

/** A reader that reconnects for ever. `publish` resolves with whether the broker has confirmed the message. */
export type ReaderLink = {
  publish(subject: string, body: string): Promise<boolean>
  close(): Promise<void>
}

export type Transport = 'nats' | 'mqtt'

/** After this time the reader does not know whether the message has arrived. */
const PATIENCE_MS = 8_000
const RETRY_MS = 300

/** `port` is that of a link to the broker; `loginMs`: for how long a refused first login is repeated. */
type Options = { transport: Transport; port: number; key: ApiKey; loginMs: number }

/**
 * Repeats the first login as a reader does that is switched on while the system is busy: later ones are repeated by the
 * client. Rejects with the last refusal.
 */
export async function connectReader({ transport, port, key, loginMs }: Options): Promise<ReaderLink> {
  const until = performance.now() + loginMs
  for (;;)
    try {
      return await (transport === 'nats' ? overNats(port, key) : overMqtt(port, key))
    } catch (cause) {
      if (performance.now() >= until)
        throw new Error(`a reader could not log in over ${transport} in ${loginMs / 1000} s`, { cause })
      await wait(RETRY_MS)
    }
}

async function overNats(port: number, { clientId, clientSecret }: ApiKey): Promise<ReaderLink> {
  const nc = await connect({
    servers: `127.0.0.1:${port}`,
    user: clientId,
    pass: clientSecret,
    inboxPrefix: `_INBOX.${clientId}`,
    timeout: PATIENCE_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RETRY_MS,
    ignoreAuthErrorAbort: true, // a login that waits for keys is refused after 35 s
    pingInterval: 5_000,
  })
  return {
    async publish(subject, body) {
      try {
        const reply = await nc.request(subject, body, { timeout: PATIENCE_MS })
        return isStored(reply.string())
      } catch {
        return false // no answer: it may have arrived
      }
    },
    close: () => nc.close(),
  }
}

const isStored = (reply: string) => 'seq' in (JSON.parse(reply) as object)

async function overMqtt(port: number, { clientId, clientSecret }: ApiKey): Promise<ReaderLink> {
  const client = await mqtt.connectAsync(
    `mqtt://127.0.0.1:${port}`,
    {
      protocolVersion: 4,
      username: clientId,
      password: clientSecret,
      keepalive: 5,
      connectTimeout: PATIENCE_MS,
      reconnectPeriod: RETRY_MS,
      reconnectOnConnackError: true,
    },
    false,
  )
  client.on('error', () => undefined) // it reconnects
  return {
    async publish(subject, body) {
      const sent = client.publishAsync(subject.replaceAll('.', '/'), body, { qos: 1 }).then(
        () => true,
        () => false,
      )
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const timer = setTimeout(resolve, PATIENCE_MS, false)
      const outcome = await Promise.race([sent, promise])
      clearTimeout(timer)
      return outcome
    },
    close: () => client.endAsync(true),
  }
}
