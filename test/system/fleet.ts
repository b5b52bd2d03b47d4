import mqtt from 'mqtt'
import { connect, ErrorCode, Events } from 'nats'
import type { ApiKey } from './organization.ts'
import type { Transport } from './readers.ts'

/** A reader that always reconnects, like real ones. */
export type Reader = {
  key: ApiKey
  transport: Transport
  readonly isConnected: boolean
  /** How often the broker refused its login. */
  readonly refusals: number
  close(): Promise<void>
}

/** `ca`: as PEM, where the broker expects encrypted connections. */
type Options = { urls: Record<Transport, string>; ca?: string; key: ApiKey; name: string }

/** The wait between two attempts, random as in a fleet of devices. */
const retryMs = () => 500 + Math.random() * 1_000
const PATIENCE_MS = 30_000

/** Resolves when the reader is logged in for the first time. */
export const startReader = (transport: Transport, options: Options): Promise<Reader> =>
  transport === 'nats' ? overNats(options) : overMqtt(options)

async function overNats({ urls, ca, key, name }: Options): Promise<Reader> {
  const state = { isConnected: true, refusals: 0 }
  const nc = await connect({
    servers: urls.nats,
    ...(ca !== undefined && { tls: { ca } }),
    user: key.clientId,
    pass: key.clientSecret,
    name,
    inboxPrefix: `_INBOX.${key.clientId}`,
    timeout: PATIENCE_MS,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: retryMs,
    ignoreAuthErrorAbort: true,
  })
  const follow = async () => {
    for await (const { type, data } of nc.status()) {
      if (type === Events.Disconnect) state.isConnected = false
      if (type === Events.Reconnect) state.isConnected = true
      if (type === Events.Error && data === ErrorCode.AuthorizationViolation) state.refusals += 1
    }
  }
  void follow()
  return {
    key,
    transport: 'nats',
    get isConnected() {
      return state.isConnected
    },
    get refusals() {
      return state.refusals
    },
    close: () => nc.close(),
  }
}

async function overMqtt({ urls, ca, key, name }: Options): Promise<Reader> {
  const client = await mqtt.connectAsync(urls.mqtt, {
    protocolVersion: 4,
    clientId: `${key.clientId}-${name}`, // other organizations use the same names
    ...(ca !== undefined && { ca }),
    username: key.clientId,
    password: key.clientSecret,
    connectTimeout: PATIENCE_MS,
    reconnectPeriod: retryMs(),
    reconnectOnConnackError: true,
  })
  let refusals = 0
  client.on('error', (error) => {
    if (/not authorized|bad user name/i.test(error.message)) refusals += 1
  })
  return {
    key,
    transport: 'mqtt',
    get isConnected() {
      return client.connected
    },
    get refusals() {
      return refusals
    },
    close: () => client.endAsync(true),
  }
}
