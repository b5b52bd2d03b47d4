import mqtt from 'mqtt'
import { connect, type NatsConnection } from 'nats'
import type { ApiKey } from './organization.ts'

/** A reader at the broker, over either transport. `publish` resolves when the broker has acknowledged the message. */
export type ReaderLink = {
  publish(orgId: number, readerKey: string, format: string, bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

export type Transport = 'nats' | 'mqtt'

/** `urls`: addresses of the broker. `ca`: PEM, if it expects encrypted connections. */
export const connectReader = (
  { urls, ca }: { urls: Record<Transport, string>; ca?: string },
  key: ApiKey,
  transport: Transport,
): Promise<ReaderLink> => (transport === 'nats' ? overNats(urls.nats, key, ca) : overMqtt(urls.mqtt, key, ca))

async function overNats(servers: string, key: ApiKey, ca: string | undefined): Promise<ReaderLink> {
  const { clientId, clientSecret } = key
  const nc: NatsConnection = await connect({
    servers: servers.split(','),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    ...(ca !== undefined && { tls: { ca } }),
    user: clientId,
    pass: clientSecret,
    inboxPrefix: `_INBOX.${clientId}`,
  })
  return {
    async publish(orgId, readerKey, format, bytes) {
      await nc.request(`scans.${orgId}.${readerKey}.${format}`, bytes, { timeout: 5_000 })
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
  })
  return {
    async publish(orgId, readerKey, format, bytes) {
      await client.publishAsync(`scans/${orgId}/${readerKey}/${format}`, Buffer.from(bytes), { qos: 1 })
    },
    close: () => client.endAsync(),
  }
}
