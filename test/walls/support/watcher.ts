import { connect, type ConsumerInfo, type JetStreamManager, type NatsConnection, type StreamInfo } from 'nats'

/** The state of one stream: its configuration, its sequence numbers, and the number of messages by subject. */
export type StreamState = {
  name: string
  config: StreamInfo['config']
  first: number
  last: number
  messages: number
  deleted: number
  subjects: Record<string, number>
  /** Configurations by name. `durables` leaves out those that end with the connection of their client. */
  consumers: Record<string, ConsumerInfo['config']>
}

/** The consumers of a stream that stay without a connected client. */
export const durables = ({ consumers }: StreamState) =>
  Object.fromEntries(Object.entries(consumers).filter(([, { durable_name }]) => durable_name !== undefined))

/** Reads everything that the broker keeps, with the login of the services. Attacks never use it. */
export type Watcher = {
  version: string
  /** In the account of the services; the spy of a reply table listens here. */
  app: NatsConnection
  /** Every stream of every account where the services may log in. */
  streams(): Promise<StreamState[]>
  stream(name: string): Promise<StreamState>
  /** The subject and text of a stored message; undefined when it is gone. */
  message(stream: string, seq: number): Promise<Stored | undefined>
  /** Resolves with true when every consumer has received and settled everything; with false if that takes too long. */
  idle(): Promise<boolean>
  close(): Promise<void>
}
type Stored = { subject: string; data: Uint8Array; header(name: string): string }

type Account = { nc: NatsConnection; jsm: JetStreamManager }

/** MQTT readers have their own account, where the services have another name. */
const LOGINS = ['services', 'mqtt-services']

export async function openWatcher(url: string, password: string): Promise<Watcher> {
  const accounts = (await Promise.all(LOGINS.map((user) => login(url, user, password)))).flat()
  const [first] = accounts
  if (!first) throw new Error('the services cannot log in to the broker')
  const managerOf = async (stream: string) => {
    for (const { jsm } of accounts) if (await jsm.streams.info(stream).catch(() => undefined)) return jsm
    throw new Error(`there is no stream ${stream}`)
  }
  const states = async () => (await Promise.all(accounts.map(({ jsm }) => statesOf(jsm)))).flat()
  return {
    version: first.nc.info?.version ?? '',
    app: first.nc,
    streams: states,
    async stream(name) {
      return stateOf(await managerOf(name), name)
    },
    async message(stream, seq) {
      const manager = await managerOf(stream)
      const found = await manager.streams.getMessage(stream, { seq }).catch(() => undefined)
      return found && { subject: found.subject, data: found.data, header: (name) => found.header.get(name) }
    },
    async idle() {
      return (await Promise.all(accounts.map(({ jsm }) => isIdle(jsm)))).every(Boolean)
    },
    async close() {
      await Promise.all(accounts.map(({ nc }) => nc.close()))
    },
  }
}

/** Empty if the broker does not know the user. */
async function login(servers: string, user: string, pass: string): Promise<Account[]> {
  try {
    const nc = await connect({ servers, user, pass, name: 'walls: watcher' })
    return [{ nc, jsm: await nc.jetstreamManager() }]
  } catch (error) {
    if (user === 'services') throw error
    return []
  }
}

async function statesOf(jsm: JetStreamManager): Promise<StreamState[]> {
  const names: string[] = []
  for await (const { config } of jsm.streams.list()) names.push(config.name)
  return Promise.all(names.toSorted().map((name) => stateOf(jsm, name)))
}

async function stateOf(jsm: JetStreamManager, name: string): Promise<StreamState> {
  const { config, state } = await jsm.streams.info(name, { subjects_filter: '>' })
  const { first_seq: first, last_seq: last, messages, num_deleted: deleted, subjects = {} } = state
  const consumers = Object.fromEntries((await consumersOf(jsm, name)).map((one) => [one.name, one.config]))
  return { name, config, first, last, messages, deleted, subjects, consumers }
}

async function consumersOf(jsm: JetStreamManager, stream: string): Promise<ConsumerInfo[]> {
  const found: ConsumerInfo[] = []
  for await (const consumer of jsm.consumers.list(stream)) found.push(consumer)
  return found
}

async function isIdle(jsm: JetStreamManager): Promise<boolean> {
  for await (const { config } of jsm.streams.list())
    for (const { num_pending, num_ack_pending } of await consumersOf(jsm, config.name))
      if (num_pending + num_ack_pending > 0) return false
  return true
}
