import { LoginRefusedError } from '@whereabouts/messaging/readers/reader-connection'
import { randomBytes } from 'node:crypto'
import { connect, type MqttClient } from 'mqtt'
import { errorText } from '../../../error-text.ts'

type Login = { url: string; clientId: string; clientSecret: string; name: string }

/** Like `ReaderConnection` of the messaging library, over MQTT 3.1.1, with topics instead of subjects. */
export type MqttConnection = {
  publish(topic: string, bytes: Uint8Array): boolean
  close(): Promise<void>
  readonly closed: Promise<Error | undefined>
}

/** CONNACK: bad user name or password, and not authorized. */
const REFUSALS = new Set<unknown>([4, 5])

/** One login over MQTT. Throws `LoginRefusedError`, or an error that says why the broker was not reached. */
export async function connectMqtt({ url, clientId, clientSecret, name }: Login): Promise<MqttConnection> {
  const client = connect(url, {
    protocolVersion: 4, // nats-server supports 3.1.1 only
    username: clientId,
    password: clientSecret,
    clientId: `${name}-${randomBytes(3).toString('hex')}`, // a second client with the same id would end the first
    reconnectPeriod: 0,
    connectTimeout: 5_000,
    keepalive: 20,
    queueQoSZero: false,
  })
  await untilConnected(client, url, clientId)
  const end = Promise.withResolvers<Error | undefined>()
  client.on('error', end.resolve) // 'close' follows
  client.on('close', () => end.resolve(undefined))
  return {
    publish(topic, bytes) {
      if (!client.connected) return false
      // QoS 0, like most readers; the broker acknowledges a refused publish too.
      client.publish(topic, Buffer.from(bytes))
      return true
    },
    close: () => client.endAsync(),
    closed: end.promise,
  }
}

async function untilConnected(client: MqttClient, url: string, clientId: string): Promise<void> {
  const connected = Promise.withResolvers<void>()
  client.on('connect', () => connected.resolve())
  client.on('error', connected.reject) // kept: an error without a listener would end this process
  client.on('close', () => connected.reject(new Error('the connection was closed')))
  try {
    await connected.promise
  } catch (cause) {
    client.end(true)
    throw explain(cause, url, clientId)
  }
}

function explain(cause: unknown, url: string, clientId: string): Error {
  if (cause instanceof Error && 'code' in cause && REFUSALS.has(cause.code))
    return new LoginRefusedError(`the broker refused the login of ${clientId} over MQTT`, { cause })
  return new Error(`cannot connect to the broker at ${url}: ${errorText(cause)}`, { cause })
}
