import { connect, type Broker } from '@whereabouts/messaging/connect/connection'
import type { Logger } from '@whereabouts/messaging/connect/logger'
import {
  applyTopology,
  type BrokersByAccount,
  type TopologyOptions,
} from '@whereabouts/messaging/connect/topology'
import { startBroker, type BrokerOptions, type BrokerUser, type TestBroker } from './broker.ts'

export type LogLine = { level: 'debug' | 'info' | 'warn' | 'error'; text: string } & Record<string, unknown>

/** A logger that keeps its lines, for tests that check the log. */
export function logKeeper(): { logger: Logger; lines: LogLine[] } {
  const lines: LogLine[] = []
  const at = (level: LogLine['level']) => (fields: Record<string, unknown>, text: string) => {
    lines.push({ ...fields, level, text })
  }
  return { lines, logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } }
}

/** A broker with the streams of the product, and a connection to it. */
export type Bus = {
  server: TestBroker
  /** Logged in as `services`. */
  broker: Broker
  /** `APP` is `broker`; `MQTT` is logged in as `mqtt-services`. */
  brokers: BrokersByAccount
  /** Opens another connection, like another replica. It is closed with the bus. */
  connect(user?: BrokerUser): Promise<Broker>
  logger: Logger
  log: LogLine[]
  stop(): Promise<void>
}

export async function startBus(options: TopologyOptions = {}, ofBroker: BrokerOptions = {}): Promise<Bus> {
  const server = await startBroker(ofBroker)
  const { logger, lines } = logKeeper()
  const opened: Broker[] = []
  const open: Bus['connect'] = async (user = 'services') => {
    const broker = await connect({ url: server.url, ...server.users[user], name: 'test', logger })
    opened.push(broker)
    return broker
  }
  const broker = await open()
  const brokers = { APP: broker, MQTT: await open('mqtt-services') }
  await applyTopology(brokers, options)
  const stop = async () => {
    await Promise.all(opened.map((connection) => connection.close()))
    await server.stop()
  }
  return { server, broker, brokers, connect: open, logger, log: lines, stop }
}
