import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  nanos,
  NatsError,
  ReplayPolicy,
  RetentionPolicy,
  StorageType,
} from 'nats'
import type { ConsumerConfig, JetStreamManager } from 'nats'
import { natsOf, type Broker } from './connection.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const MEBIBYTE = 1024 * 1024

/** An account of the broker that has streams, see deploy/nats/nats.conf: the services, or the readers that speak MQTT. */
export type Account = 'APP' | 'MQTT'

type Stream = {
  subjects: readonly string[]
  /** Left out: APP. */
  account?: Account
  /** Left out: kept for ever, or until another bound is met. The oldest message goes first. */
  maxAgeMs?: number
  maxBytes?: number
  /** 1 makes the stream a compacted log: the last message of each subject. */
  maxPerSubject?: number
  /** A larger message is refused. Counts headers too. */
  maxMessageBytes?: number
  /** A message may say itself when it is to be forgotten (`ttlSeconds`). */
  allowsTtl?: boolean
  /** Kept until those who consume it durably have had it, and no longer. */
  untilConsumed?: boolean
  /** A second message of a subject, and one that does not fit, are refused, as the broker wants it of a stream of its own. */
  refusesWhenFull?: boolean
  /** The product deletes single messages of it, or the broker does, so the broker must allow that. */
  deletable?: boolean
  /** Copied into this stream. A stream with a source has no duplicate window: see `SCANS`. */
  source?: string
  /** Kept until its one durable has had it; full, it refuses what is new instead of dropping what it has. */
  queue?: boolean
}

/** The largest legal reader message is 256 KiB; headers count too. Readers meet it as a limit of their account. */
const READER_MESSAGE_BYTES = 258 * 1024
/** How long the broker remembers the session of an MQTT reader that does not come back. */
const MQTT_SESSION_MS = 7 * 24 * HOUR

/** The streams. `scans.>` may grow to `scansMaxBytes`, see `applyTopology`. */
export const streams = {
  // Holds nothing and never will. It is a source of SCANS, because only a stream with a source can do without a duplicate
  // window: ids of messages are the readers' own, and one organization must not make the scan of another a duplicate.
  NO_SCANS: { subjects: ['no-scans'], maxBytes: MEBIBYTE },
  SCANS: {
    subjects: ['scans.>'],
    maxAgeMs: 72 * HOUR,
    maxBytes: 1024 * MEBIBYTE,
    maxMessageBytes: READER_MESSAGE_BYTES,
    source: 'NO_SCANS',
  },
  // What an organization has beyond its share of ingest waits here (ADR 44).
  OVERFLOW: { subjects: ['overflow.*'], maxBytes: 1024 * MEBIBYTE, queue: true },
  CATALOG: { subjects: ['catalog.>'], maxPerSubject: 1 },
  KEYS: { subjects: ['keys.>'], maxPerSubject: 1, allowsTtl: true },
  EVENTS: { subjects: ['events.>'], maxAgeMs: 168 * HOUR },
  PLACEMENTS: { subjects: ['placements.>'], maxAgeMs: 168 * HOUR },
  // dead.<org>.<stream>.<durable>: the newest 100 of each, so that one organization cannot evict the dead letters of others.
  // At 8 KiB a message, 300 organizations have to fill their share at the same time before the oldest of all goes.
  DEAD: {
    subjects: ['dead.>'],
    maxAgeMs: 168 * HOUR,
    maxBytes: 256 * MEBIBYTE,
    maxPerSubject: 100,
    deletable: true,
  },
  // The broker's own: what it has acknowledged over MQTT. It would make them without bounds with the first reader.
  $MQTT_msgs: {
    account: 'MQTT',
    subjects: ['$MQTT.msgs.>'],
    maxAgeMs: 72 * HOUR,
    maxBytes: 1024 * MEBIBYTE,
    maxMessageBytes: READER_MESSAGE_BYTES,
    untilConsumed: true,
    deletable: true,
  },
  $MQTT_sess: {
    account: 'MQTT',
    subjects: ['$MQTT.sess.>'],
    maxAgeMs: MQTT_SESSION_MS,
    maxBytes: 64 * MEBIBYTE,
    maxPerSubject: 1,
    deletable: true,
  },
  // Retained messages of readers. Nobody may subscribe to them, so none is kept: each is larger than this.
  $MQTT_rmsgs: {
    account: 'MQTT',
    subjects: ['$MQTT.rmsgs.>'],
    maxBytes: MEBIBYTE,
    maxPerSubject: 1,
    maxMessageBytes: 1,
    deletable: true,
  },
  // Between the two halves of a delivery with QoS 2.
  $MQTT_qos2in: {
    account: 'MQTT',
    subjects: ['$MQTT.qos2.in.>'],
    maxAgeMs: 72 * HOUR,
    maxBytes: 64 * MEBIBYTE,
    maxMessageBytes: READER_MESSAGE_BYTES,
    maxPerSubject: 1,
    refusesWhenFull: true,
    deletable: true,
  },
  // The second half of deliveries with QoS 2 to readers. None may subscribe, so there are none.
  $MQTT_out: {
    account: 'MQTT',
    subjects: ['$MQTT.out.>'],
    maxAgeMs: 72 * HOUR,
    maxBytes: MEBIBYTE,
    untilConsumed: true,
    deletable: true,
  },
} as const satisfies Record<string, Stream>
export type StreamName = keyof typeof streams
export const streamNames = Object.keys(streams) as StreamName[]

/** The account whose login reaches a stream and its durables. */
export const accountOf = (name: StreamName): Account => ('account' in streams[name] ? 'MQTT' : 'APP')

type Durable = {
  stream: StreamName
  /** A message held longer than this without a sign of life is delivered to another replica. */
  ackWaitMs: number
  /** Delivered and not yet acknowledged, over all replicas: the backpressure towards the broker. */
  maxAckPending: number
  /** Left out: all subjects of the stream. */
  filter?: string
}

/** Before the subject of a message that came over MQTT, in the broker's own stream of them. */
export const MQTT_PREFIX = '$MQTT.msgs.'

/** Named `<service>-<what>`. Views in memory are not here: they use `followStream`. */
export const durables = {
  'tracking-ingest': { stream: 'SCANS', ackWaitMs: 30 * SECOND, maxAckPending: 10_000 },
  'tracking-ingest-mqtt': {
    stream: '$MQTT_msgs',
    filter: `${MQTT_PREFIX}scans.>`,
    ackWaitMs: 30 * SECOND,
    maxAckPending: 10_000,
  },
  'tracking-overflow': { stream: 'OVERFLOW', ackWaitMs: 30 * SECOND, maxAckPending: 1_000 },
  'tracking-catalog': { stream: 'CATALOG', ackWaitMs: 30 * SECOND, maxAckPending: 5_000 },
  'tracking-placements': { stream: 'PLACEMENTS', ackWaitMs: 30 * SECOND, maxAckPending: 1_000 },
  // Everything that waits for a receiver: two replicas with full lanes (their LANE_LIMITS).
  'webhook-dispatcher-lanes': { stream: 'EVENTS', ackWaitMs: 30 * SECOND, maxAckPending: 100_000 },
} as const satisfies Record<string, Durable>
export type DurableName = keyof typeof durables
export const durableNames = Object.keys(durables) as DurableName[]

/** The durables that a service consumes: those named after it. */
export const durablesOf = (service: 'tracking' | 'webhook-dispatcher') =>
  durableNames.filter((name) => name.startsWith(`${service}-`))

/**
 * The server's own limit, for handlers that end the whole process. It is above each of our retry policies (see `settle`), which
 * keep a copy with a reason; past this limit the broker only stops delivering.
 */
export const MAX_DELIVER = 15

export type TopologyOptions = {
  /** Copies of each stream; 3 on a three-node cluster. */
  replicas?: number
  /** Bytes after which the oldest scans are dropped before their 72 hours. */
  scansMaxBytes?: number
  /** Instead of each durable's own, for tests that wait for a redelivery. */
  ackWaitMs?: number
}

/** One connection for each account that has streams. */
export type BrokersByAccount = Readonly<Record<Account, Broker>>

/** Creates what is missing and updates what differs; safe to run again, and from two places at once. */
export async function applyTopology(brokers: BrokersByAccount, options: TopologyOptions = {}): Promise<void> {
  const managers = {
    APP: await natsOf(brokers.APP).jetstreamManager({ checkAPI: false }),
    MQTT: await natsOf(brokers.MQTT).jetstreamManager({ checkAPI: false }),
  }
  for (const name of streamNames) await applyStream(managers[accountOf(name)], name, streams[name], options)
  for (const [name, durable] of Object.entries<Durable>(durables)) {
    const jsm = managers[accountOf(durable.stream)]
    await applyDurable(jsm, name, { ...durable, ackWaitMs: options.ackWaitMs ?? durable.ackWaitMs })
  }
  await removeOlderLayout(managers.APP)
}

async function applyStream(jsm: JetStreamManager, name: string, stream: Stream, options: TopologyOptions) {
  const config = streamConfig(name, stream, options)
  const exists = await found(jsm.streams.info(name))
  if (exists) await jsm.streams.update(name, config)
  else await jsm.streams.add(config)
}

function streamConfig(name: string, stream: Stream, { replicas = 1, scansMaxBytes }: TopologyOptions) {
  const isOfReaders = name === 'SCANS' || name === '$MQTT_msgs' || name === 'OVERFLOW'
  const maxBytes = isOfReaders ? (scansMaxBytes ?? stream.maxBytes) : stream.maxBytes
  return {
    name,
    subjects: [...stream.subjects],
    storage: StorageType.File,
    retention: retentionOf(stream),
    discard: stream.queue || stream.refusesWhenFull ? DiscardPolicy.New : DiscardPolicy.Old,
    discard_new_per_subject: stream.refusesWhenFull ?? false,
    max_age: nanos(stream.maxAgeMs ?? 0),
    max_bytes: maxBytes ?? -1,
    max_msg_size: stream.maxMessageBytes ?? -1,
    max_msgs_per_subject: stream.maxPerSubject ?? -1,
    ...(stream.source === undefined
      ? { duplicate_window: nanos(120 * SECOND) }
      : { sources: [{ name: stream.source }], duplicate_window: 0 }),
    // For good: the broker never takes these back, whoever asks.
    ...(!stream.deletable && { deny_delete: true, deny_purge: true }),
    num_replicas: replicas,
    ...(stream.allowsTtl && { allow_msg_ttl: true }), // cannot be taken back
  }
}

/** Until everything of readers over MQTT had an account of its own, the broker's streams of them lay in APP. */
const OLDER_MQTT = ['$MQTT_msgs', '$MQTT_sess', '$MQTT_rmsgs', '$MQTT_qos2in', '$MQTT_out']

/** Whether tracking has to read what an older release left of MQTT messages, see `OLDER_MQTT`. */
export async function hasOlderMqttCopies(broker: Broker): Promise<boolean> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  const durable: DurableName = 'tracking-ingest-mqtt'
  return found(jsm.consumers.info(durables[durable].stream, durable))
}

/** Once tracking has read them, at the deployment after the upgrade. What has not been read stays. */
async function removeOlderLayout(jsm: JetStreamManager): Promise<void> {
  const [copies] = OLDER_MQTT
  if (copies === undefined || !(await found(jsm.streams.info(copies)))) return
  const { state } = await jsm.streams.info(copies)
  if (state.messages > 0) return
  for (const name of OLDER_MQTT) if (await found(jsm.streams.info(name))) await jsm.streams.delete(name)
}

function retentionOf({ queue, untilConsumed }: Stream): RetentionPolicy {
  if (queue) return RetentionPolicy.Workqueue
  return untilConsumed ? RetentionPolicy.Interest : RetentionPolicy.Limits
}

async function applyDurable(jsm: JetStreamManager, name: string, durable: Durable): Promise<void> {
  const { stream } = durable
  if (await found(jsm.consumers.info(stream, name)))
    await jsm.consumers.update(stream, name, changeable(durable))
  else await jsm.consumers.add(stream, durableConfig(name, durable))
}

const changeable = ({ ackWaitMs, maxAckPending }: Durable) => ({
  ack_wait: nanos(ackWaitMs),
  max_ack_pending: maxAckPending,
  max_deliver: MAX_DELIVER,
})

const durableConfig = (name: string, durable: Durable): Partial<ConsumerConfig> => ({
  durable_name: name,
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  replay_policy: ReplayPolicy.Instant,
  ...changeable(durable),
  ...(durable.filter !== undefined && { filter_subject: durable.filter }),
})

/** For restore.ts only: recreates a durable. It starts with what was stored at `since`, or with everything. */
export async function makeDurable(jsm: JetStreamManager, name: DurableName, since?: Date): Promise<void> {
  const durable: Durable = durables[name]
  if (await found(jsm.consumers.info(durable.stream, name))) await jsm.consumers.delete(durable.stream, name)
  const start = since && { deliver_policy: DeliverPolicy.StartTime, opt_start_time: since.toISOString() }
  await jsm.consumers.add(durable.stream, { ...durableConfig(name, durable), ...start })
}

/** For restore.ts only: whether the broker knows this stream or consumer. */
export async function found(info: Promise<unknown>): Promise<boolean> {
  try {
    await info
    return true
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return false
    throw error
  }
}
