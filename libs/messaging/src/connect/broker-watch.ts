import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import { startSampling } from '@whereabouts/service-kit/service/sampling'
import { NatsError, type ConsumerInfo, type JetStreamManager, type StreamInfo } from 'nats'
import { natsOf } from './connection.ts'
import {
  accountOf,
  countPartitions,
  durables,
  isPartitioned,
  placesOf,
  type BrokersByAccount,
  type DurableName,
  type StreamName,
} from './topology.ts'

type Options = {
  streams: readonly StreamName[]
  durables: readonly DurableName[]
  registry: Registry
  log: Pick<Logger, 'warn'>
  everyMs?: number
}

const GAUGES = {
  stream_messages: { help: 'Messages in a stream.', labelNames: ['stream'] },
  stream_bytes: { help: 'Bytes in a stream, before compression.', labelNames: ['stream'] },
  stream_max_bytes: {
    help: 'Size at which a stream drops its oldest messages; absent for streams without such a bound.',
    labelNames: ['stream'],
  },
  stream_oldest_message_age_seconds: {
    help: 'Age of the oldest message of a stream.',
    labelNames: ['stream'],
  },
  stream_replicas: { help: 'Configured copies of a stream.', labelNames: ['stream'] },
  stream_replicas_current: {
    help: 'Copies of a stream that are available and up to date, including the leader.',
    labelNames: ['stream'],
  },
  consumer_pending_messages: {
    help: 'Messages that a durable has not delivered yet.',
    labelNames: ['durable', 'stream'],
  },
  consumer_ack_pending_messages: {
    help: 'Messages delivered and not yet settled, over all replicas.',
    labelNames: ['durable', 'stream'],
  },
  consumer_max_ack_pending_messages: {
    help: 'Limit of messages delivered and not yet settled. At the limit the broker delivers nothing more.',
    labelNames: ['durable', 'stream'],
  },
  consumer_oldest_unsettled_age_seconds: {
    help: 'Age of the oldest message that a durable has not settled; 0 if there is none.',
    labelNames: ['durable', 'stream'],
  },
} as const

type Watched = Pick<BrokersByAccount, 'APP'> & Partial<BrokersByAccount>

/**
 * Samples streams and durables at the broker every 15 seconds. Those of an account need a connection to that account.
 */
export function watchBroker(brokers: Watched, options: Options): { stop(): Promise<void> } {
  const { registry, log, everyMs = 15_000 } = options
  const sample = () => sampleAll(brokers, options)
  return startSampling({ registry, log, everyMs, work: 'broker-watch', gauges: GAUGES, sample })
}

async function sampleAll(brokers: Watched, options: Pick<Options, 'streams' | 'durables'>) {
  const managers = {
    APP: await natsOf(brokers.APP).jetstreamManager({ checkAPI: false }),
    MQTT: await natsOf(brokers.MQTT ?? brokers.APP).jetstreamManager({ checkAPI: false }),
  }
  const managerOf = (stream: StreamName) => managers[accountOf(stream)]
  const hasPartitions = options.streams.some(isPartitioned)
  const count = hasPartitions ? await countPartitions(brokers.APP) : 1
  const places = placesOf(count)
  const [streams, consumers] = await Promise.all([
    Promise.all(
      options.streams.flatMap((name) => places(name).map((stream) => managerOf(name).streams.info(stream))),
    ),
    Promise.all(
      options.durables.flatMap((durable) => {
        const { stream } = durables[durable]
        return places(stream).map((place) => sampleDurable(managerOf(stream), place, durable))
      }),
    ),
  ])
  const now = Date.now()
  const ofStreams = (read: (info: StreamInfo) => number | undefined) =>
    values(streams, (info) => ({ stream: nameOf(info) }), read)
  const ofDurables = (read: (found: DurableSample) => number) =>
    values(consumers, ({ info }) => ({ durable: info.name, stream: info.stream_name }), read)
  return {
    stream_messages: ofStreams(({ state }) => state.messages),
    stream_bytes: ofStreams(({ state }) => state.bytes),
    stream_max_bytes: ofStreams(({ config }) => (config.max_bytes > 0 ? config.max_bytes : undefined)),
    stream_oldest_message_age_seconds: ofStreams(({ state }) =>
      state.messages === 0 ? 0 : ageSeconds(state.first_ts, now),
    ),
    stream_replicas: ofStreams(({ config }) => config.num_replicas),
    stream_replicas_current: ofStreams(currentReplicas),
    consumer_pending_messages: ofDurables(({ info }) => info.num_pending),
    consumer_ack_pending_messages: ofDurables(({ info }) => info.num_ack_pending),
    consumer_max_ack_pending_messages: ofDurables(({ info }) => info.config.max_ack_pending ?? 0),
    consumer_oldest_unsettled_age_seconds: ofDurables(({ oldest }) =>
      oldest === undefined ? 0 : ageSeconds(oldest, now),
    ),
  }
}

const nameOf = ({ config }: StreamInfo) => config.name
const ageSeconds = (instant: string, now: number) => Math.max(0, (now - Date.parse(instant)) / 1_000)

/** Without a cluster a stream has one copy. */
function currentReplicas({ cluster }: StreamInfo): number {
  if (!cluster) return 1
  const followers = (cluster.replicas ?? []).filter(({ current, offline }) => current && !offline)
  return (cluster.leader ? 1 : 0) + followers.length
}

function values<T>(
  found: readonly T[],
  labels: (one: T) => Record<string, string>,
  read: (one: T) => number | undefined,
) {
  return found.flatMap((one) => {
    const value = read(one)
    return value === undefined ? [] : [{ labels: labels(one), value }]
  })
}

type DurableSample = { info: ConsumerInfo; oldest: string | undefined }

async function sampleDurable(
  jsm: JetStreamManager,
  stream: string,
  durable: DurableName,
): Promise<DurableSample> {
  const info = await jsm.consumers.info(stream, durable)
  const isDone = info.num_pending === 0 && info.num_ack_pending === 0
  return { info, oldest: isDone ? undefined : await timeOfNext(jsm, stream, info.ack_floor.stream_seq + 1) }
}

/** When the first message at or after `seq` was stored; undefined if there is none. */
async function timeOfNext(jsm: JetStreamManager, stream: string, seq: number): Promise<string | undefined> {
  // The client's type allows only one of the two fields; the server accepts both since 2.9.
  const query = { seq, next_by_subj: '>' } as { seq: number }
  try {
    return (await jsm.streams.getMessage(stream, query)).time.toISOString()
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return undefined // settled meanwhile, or dropped
    throw error
  }
}
