import mqtt from 'mqtt'
import { connect, type NatsConnection } from 'nats'
import type { ApiKey } from './organization.ts'

/** A reader, over any transport. `publish` resolves when the broker has acknowledged the message. */
export type ReaderLink = {
  publish(orgId: number, readerKey: string, format: string, bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

/** Transports of the broker. Readers may also post over HTTPS. */
export type Transport = 'nats' | 'mqtt'

/** `urls`: addresses of the broker, and of the API. `ca`: PEM, if the broker expects encrypted connections. */
export const connectReader = (
  { urls, ca }: { urls: { nats: string; mqtt: string; base?: string }; ca?: string },
  key: ApiKey,
  transport: Transport | 'https',
): Promise<ReaderLink> => {
  if (transport === 'https') return Promise.resolve(overHttps(urls.base ?? '', key))
  return transport === 'nats' ? overNats(urls.nats, key, ca) : overMqtt(urls.mqtt, key, ca)
}

function overHttps(base: string, { clientId, clientSecret }: ApiKey): ReaderLink {
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
  return {
    async publish(_orgId, readerKey, format, bytes) {
      const url = `${base}/api/v1/scans/${readerKey}/${format}`
      const { status } = await fetch(url, {
        method: 'POST',
        headers: { authorization },
        body: Buffer.from(bytes),
      })
      if (status !== 202) throw new Error(`a message over HTTPS was answered with ${status}`)
    },
    close: async () => undefined,
  }
}

async function overNats(servers: string, key: ApiKey, ca: string | undefined): Promise<ReaderLink> {
  const { clientId, clientSecret } = key
  const nc: NatsConnection = await connect({
    servers: servers.split(','),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    ignoreAuthErrorAbort: true, // a login that waits for keys is refused after 35 s
    ...(ca !== undefined && { tls: { ca } }),
    user: clientId,
    pass: clientSecret,
    inboxPrefix: `_INBOX.${clientId}`,
  })
  return {
    async publish(orgId, readerKey, format, bytes) {
      const reply = await nc.request(`scans.${orgId}.${readerKey}.${format}`, bytes, { timeout: 5_000 })
      const { error } = reply.json<{ error?: { description: string } }>()
      if (error) throw new Error(`the broker refused a message: ${error.description}`)
    },
    close: () => nc.close(),
  }
}

async function overMqtt(url: string, key: ApiKey, ca: string | undefined): Promise<ReaderLink> {
  const { clientId, clientSecret } = key
  const client = await mqtt.connectAsync(url, {
    protocolVersion: 4,
    ...(ca !== undefined && { ca }),
    username: clientId,
    password: clientSecret,
    reconnectOnConnackError: true,
  })
  return {
    async publish(orgId, readerKey, format, bytes) {
      await client.publishAsync(`scans/${orgId}/${readerKey}/${format}`, Buffer.from(bytes), { qos: 1 })
    },
    close: () => client.endAsync(),
  }
}
