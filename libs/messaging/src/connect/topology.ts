import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  nanos,
  NatsError,
  ReplayPolicy,
  RetentionPolicy,
  StorageType,
  StoreCompression,
} from 'nats'
import type { ConsumerConfig, JetStreamManager } from 'nats'
import { natsOf, type Broker } from './connection.ts'
import { refuseToShrink, withSizes } from './no-shrink.ts'
import { parentOf, partitionOfStream, streamOf, subjectsOf } from './numbers.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const MEBIBYTE = 1024 * 1024

/**
 * An account of the broker that has streams, see deploy/nats/nats.conf: of the services, or of the readers over MQTT.
 */
export type Account = 'APP' | 'MQTT'

type Stream = {
  subjects: readonly string[]
  /** APP if left out. */
  account?: Account
  /** Older messages are dropped. Without it a message is kept until another bound drops it; the oldest goes first. */
  maxAgeMs?: number
  /** Before compression: the broker counts the bytes that it was sent. */
  maxBytes?: number
  /** 1 makes the stream a compacted log: the last message of each subject. */
  maxPerSubject?: number
  /** A larger message is refused. The size includes headers. */
  maxMessageBytes?: number
  /** A message may set its own expiry (`ttlSeconds`). */
  allowsTtl?: boolean
  /** A message is kept until all durables of the stream have acknowledged it. */
  untilConsumed?: boolean
  /**
   * Refuses a second message of a subject, and a message that does not fit. The broker requires that of one of its own
   * streams.
   */
  refusesWhenFull?: boolean
  /** The broker must allow to delete single messages: the product or the broker itself does that. */
  deletable?: boolean
  /**
   * The stream whose messages are copied into this one. A stream with a source has no duplicate window, see `SCANS`.
   */
  source?: string
  /**
   * A message is kept until its only durable has acknowledged it. A full stream refuses new messages instead of
   * dropping old ones.
   */
  queue?: boolean
  /** Messages of readers: they repeat themselves, and are most of the disk (ADR 116). Blocks are compressed once full. */
  compressed?: boolean
  /** One for each partition, see `TopologyOptions.partitions`. */
  partitioned?: boolean
}

/** The largest valid reader message has 256 KiB; the rest is for headers. The accounts of readers have a limit too. */
const READER_MESSAGE_BYTES = 258 * 1024
/** How long the broker remembers the session of an MQTT reader that does not come back. */
const MQTT_SESSION_MS = 7 * 24 * HOUR

/** The streams. `scans.>` may grow to `scansMaxBytes`, see `applyTopology`. */
export const streams = {
  // Always empty. It is the source of SCANS, because only a stream with a source can have no duplicate window.
  // Readers choose the ids of their messages, and one organization must not make the scan of another a duplicate.
  NO_SCANS: { subjects: ['no-scans'], maxBytes: MEBIBYTE },
  SCANS: {
    subjects: ['scans.>'],
    maxAgeMs: 72 * HOUR,
    maxBytes: 1024 * MEBIBYTE,
    maxMessageBytes: READER_MESSAGE_BYTES,
    source: 'NO_SCANS',
    compressed: true,
    partitioned: true,
  },
  // Messages of an organization beyond its share of ingest wait here (ADR 44).
  OVERFLOW: {
    subjects: ['overflow.*'],
    maxBytes: 1024 * MEBIBYTE,
    queue: true,
    compressed: true,
    partitioned: true,
  },
  CATALOG: { subjects: ['catalog.>'], maxPerSubject: 1 },
  KEYS: { subjects: ['keys.>'], maxPerSubject: 1, allowsTtl: true },
  // All go to webhook-dispatcher-events, and each type is a row of contracts/src/messages/webhook-events.ts.
  EVENTS: { subjects: ['events.>'], maxAgeMs: 168 * HOUR },
  // Who did what, from each service to keys (ADR 125).
  AUDIT: { subjects: ['audit.>'], maxAgeMs: 168 * HOUR },
  PLACEMENTS: { subjects: ['placements.>'], maxAgeMs: 168 * HOUR },
  // dead.<org>.<stream>.<durable>: the newest 100 of each, so that one organization cannot evict the dead letters of
  // others. At 8 KiB per message, 300 organizations must fill their share at the same time before the oldest dead
  // letter of all is dropped.
  DEAD: {
    subjects: ['dead.>'],
    maxAgeMs: 168 * HOUR,
    maxBytes: 256 * MEBIBYTE,
    maxPerSubject: 100,
    deletable: true,
  },
  // The broker's own streams: messages that it has acknowledged over MQTT. Without this it would create them, without
  // bounds, for the first reader.
  $MQTT_msgs: {
    account: 'MQTT',
    subjects: ['$MQTT.msgs.>'],
    maxAgeMs: 72 * HOUR,
    maxBytes: 1024 * MEBIBYTE,
    maxMessageBytes: READER_MESSAGE_BYTES,
    untilConsumed: true,
    deletable: true,
    compressed: true,
  },
  $MQTT_sess: {
    account: 'MQTT',
    subjects: ['$MQTT.sess.>'],
    maxAgeMs: MQTT_SESSION_MS,
    maxBytes: 64 * MEBIBYTE,
    maxPerSubject: 1,
    deletable: true,
  },
  // Retained messages of readers. Nobody may subscribe to them, so none is kept: each message is larger than the limit.
  $MQTT_rmsgs: {
    account: 'MQTT',
    subjects: ['$MQTT.rmsgs.>'],
    maxBytes: MEBIBYTE,
    maxPerSubject: 1,
    maxMessageBytes: 1,
    deletable: true,
  },
  // Messages between the two halves of a delivery with QoS 2.
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
  // The second half of deliveries with QoS 2 to readers. It stays empty, because readers may not subscribe.
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

/** The account that a stream and its durables belong to. */
export const accountOf = (name: StreamName): Account => ('account' in streams[name] ? 'MQTT' : 'APP')

type Durable = {
  stream: StreamName
  /**
   * If a replica holds a message for longer and does not report work on it, the broker delivers it to another
   * replica.
   */
  ackWaitMs: number
  /** Limit of messages delivered and not yet acknowledged, over all replicas: the backpressure towards the broker. */
  maxAckPending: number
  /** All subjects of the stream if left out. */
  filter?: string
  /** Its messages change a database that is backed up, so after a restore they are handled again. */
  rewindsAfterRestore?: true
}

/** In the broker's own stream of MQTT messages, each subject starts with this prefix. */
export const MQTT_PREFIX = '$MQTT.msgs.'

const LIMITS = {
  stream: 'KEYS',
  filter: 'keys.org.*',
  ackWaitMs: 30 * SECOND,
  maxAckPending: 1_000,
  rewindsAfterRestore: true,
} as const

/** Named `<service>-<content>`. Views in memory are not in this list: they use `followStream`. */
export const durables = {
  'tracking-ingest': {
    stream: 'SCANS',
    ackWaitMs: 30 * SECOND,
    maxAckPending: 10_000,
    rewindsAfterRestore: true,
  },
  'tracking-ingest-mqtt': {
    stream: '$MQTT_msgs',
    filter: `${MQTT_PREFIX}scans.>`,
    ackWaitMs: 30 * SECOND,
    maxAckPending: 10_000,
  },
  'tracking-overflow': { stream: 'OVERFLOW', ackWaitMs: 30 * SECOND, maxAckPending: 1_000 },
  'tracking-catalog': { stream: 'CATALOG', ackWaitMs: 30 * SECOND, maxAckPending: 5_000 },
  'tracking-placements': {
    stream: 'PLACEMENTS',
    ackWaitMs: 30 * SECOND,
    maxAckPending: 1_000,
    rewindsAfterRestore: true,
  },
  // What organizations may store, where an operator changed it.
  'catalog-limits': { ...LIMITS },
  'tracking-limits': { ...LIMITS },
  // What the feed of events has, in the order of each organization.
  'webhook-dispatcher-events': {
    stream: 'EVENTS',
    ackWaitMs: 30 * SECOND,
    maxAckPending: 5_000,
    rewindsAfterRestore: true,
  },
  // The audit of each organization.
  'keys-audit': { stream: 'AUDIT', ackWaitMs: 30 * SECOND, maxAckPending: 5_000, rewindsAfterRestore: true },
} as const satisfies Record<string, Durable>
export type DurableName = keyof typeof durables
export const durableNames = Object.keys(durables) as DurableName[]

/** The durables that a service consumes: their names start with its name. */
export const durablesOf = (service: string) => durableNames.filter((name) => name.startsWith(`${service}-`))

/** Durables that are set back after a restore. */
export const rewoundDurables = durableNames.filter((name) => 'rewindsAfterRestore' in durables[name])

/**
 * The server's own limit, for handlers that end the whole process. It is above each of our retry policies (see
 * `settle`), which keep a copy with a reason; past this limit the broker only stops delivering.
 */
export const MAX_DELIVER = 15

export type TopologyOptions = {
  /** Copies of each stream; 3 in a cluster of three nodes. */
  replicas?: number
  /** Bytes, before compression, after which the oldest scans are dropped before their 72 hours. All partitions share them. */
  scansMaxBytes?: number
  /**
   * Streams of scans: 1, 2, 4 and so on up to 64. There are never fewer than before, because streams hold what was not read yet.
   * More than one need the broker's mapping, deploy/nats/partitioned.conf.
   */
  partitions?: number
  /** Lets limits drop what is stored, see `refuseToShrink`. */
  shrink?: boolean
  /** Replaces the value of each durable, for tests that wait for a redelivery. */
  ackWaitMs?: number
}

/** One connection for each account that has streams. */
export type BrokersByAccount = Readonly<Record<Account, Broker>>

/**
 * Creates what is missing and updates what differs; safe to run again, and from two places at once. Throws
 * StreamsWouldShrink before any change. Returns the streams whose compression it changed: nats-server says at once that
 * they have it, and applies it once it is restarted.
 */
export async function applyTopology(
  brokers: BrokersByAccount,
  options: TopologyOptions = {},
): Promise<StreamName[]> {
  const managers = {
    APP: await natsOf(brokers.APP).jetstreamManager({ checkAPI: false }),
    MQTT: await natsOf(brokers.MQTT).jetstreamManager({ checkAPI: false }),
  }
  const partitions = Math.max(options.partitions ?? 1, await countPartitions(brokers.APP))
  const plan = await Promise.all(
    streamNames.flatMap((name) =>
      placesOf(partitions)(name).map(async (place, partition) => {
        const jsm = managers[accountOf(name)]
        const wanted = streamConfig(name, streams[name], options, { count: partitions, partition })
        return { name, jsm, wanted, info: await ifThere(jsm.streams.info(place)) }
      }),
    ),
  )
  if (!options.shrink) refuseToShrink(plan.flatMap(({ info, wanted }) => (info ? [{ info, wanted }] : [])))
  await doublePartitions(managers.APP, options, partitions)
  for (const { jsm, wanted } of plan) await applyStream(jsm, wanted)
  for (const [name, durable] of Object.entries<Durable>(durables)) {
    const jsm = managers[accountOf(durable.stream)]
    const own = { ...durable, ackWaitMs: options.ackWaitMs ?? durable.ackWaitMs }
    const isShared = partitions === 1 || !isPartitioned(durable.stream)
    if (isShared) await applyDurable(jsm, { name, stream: durable.stream, durable: own })
    else
      for (const partition of Array.from({ length: partitions }, (_, i) => i))
        await applyDurable(jsm, {
          name,
          stream: streamOf(durable.stream, partition),
          durable: { ...own, ...OWNED },
        })
  }
  await removeOlderLayout(managers.APP)
  return plan.flatMap(({ name, info, wanted: { compression } }) =>
    info && (info.config.compression ?? StoreCompression.None) !== compression ? [name] : [],
  )
}

type StreamConfig = ReturnType<typeof streamConfig> & { metadata?: Record<string, string> }

async function applyStream(jsm: JetStreamManager, config: StreamConfig): Promise<void> {
  try {
    if (await found(jsm.streams.info(config.name))) await jsm.streams.update(config.name, config)
    else await jsm.streams.add(config)
  } catch (error) {
    throw await withSizes(error, jsm, config)
  }
}

/** Whether there is a stream of it for each partition. */
export const isPartitioned = (name: StreamName) => 'partitioned' in streams[name]

/** How many streams of scans the broker has; 1 if it has none yet. */
export const countPartitions = async (broker: Broker): Promise<number> =>
  countPartitionsOf(await natsOf(broker).jetstreamManager({ checkAPI: false }))

async function countPartitionsOf(jsm: JetStreamManager): Promise<number> {
  let most = 0
  for await (const name of jsm.streams.names()) most = Math.max(most, partitionOfStream('SCANS', name) ?? 0)
  // All of a step of doubling are there, or the step is repeated.
  return 2 ** Math.ceil(Math.log2(most + 1))
}

/** The names of a stream at the broker: one for each partition. */
export const placesOf =
  (count: number) =>
  (name: StreamName): string[] =>
    Array.from({ length: isPartitioned(name) ? count : 1 }, (_, partition) => streamOf(name, partition))

/** A stream may not take a subject before another has given it up. A publish in between is refused, and the reader repeats it. */
async function doublePartitions(
  jsm: JetStreamManager,
  options: TopologyOptions,
  wanted: number,
): Promise<void> {
  for (let count = 2; count <= wanted; count *= 2)
    for (let partition = count / 2; partition < count; partition += 1) {
      const name = streamOf('SCANS', partition)
      if (await found(jsm.streams.info(name))) continue
      const parent = streamOf('SCANS', parentOf(partition) ?? 0)
      const before = await ifThere(jsm.streams.info(parent))
      if (before) await jsm.streams.update(parent, { subjects: subjectsOf(parentOf(partition) ?? 0, count) })
      const after = before && (await jsm.streams.info(parent)).state.last_seq
      const config = streamConfig('SCANS', streams.SCANS, options, { count, partition })
      await applyStream(jsm, { ...config, metadata: { [AFTER]: String(after ?? 0) } })
    }
}

/**
 * Metadata of a partition: the last message that its parent stored of its numbers, or before. It is read once those are, so that the
 * messages of an organization stay in order.
 */
const AFTER = 'after_seq_of_parent'

/** Whether all messages that were stored in the parents of a partition before it was made are settled. */
export async function areOlderScansRead(
  broker: Broker,
  durable: DurableName,
  partition: number,
): Promise<boolean> {
  const parent = parentOf(partition)
  if (parent === undefined) return true
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  const { metadata } = (await jsm.streams.info(streamOf('SCANS', partition))).config
  const { ack_floor, num_pending, num_ack_pending } = await jsm.consumers.info(
    streamOf('SCANS', parent),
    durable,
  )
  const isRead = num_pending + num_ack_pending === 0 || ack_floor.stream_seq >= Number(metadata?.[AFTER] ?? 0)
  return isRead && areOlderScansRead(broker, durable, parent)
}

function streamConfig(
  name: StreamName,
  stream: Stream,
  { replicas = 1, scansMaxBytes }: TopologyOptions,
  { count, partition }: { count: number; partition: number },
) {
  const isOfReaders = name === 'SCANS' || name === '$MQTT_msgs' || name === 'OVERFLOW'
  const ofAll = isOfReaders ? (scansMaxBytes ?? stream.maxBytes) : stream.maxBytes
  const maxBytes = ofAll !== undefined && stream.partitioned ? Math.ceil(ofAll / count) : ofAll
  return {
    name: streamOf(name, partition),
    subjects: subjectsIn(name, stream, count, partition),
    storage: StorageType.File,
    compression: stream.compressed ? StoreCompression.S2 : StoreCompression.None,
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
    // Permanent: the broker never allows anybody to unset these.
    ...(!stream.deletable && { deny_delete: true, deny_purge: true }),
    num_replicas: replicas,
    ...(stream.allowsTtl && { allow_msg_ttl: true }), // cannot be taken back
  }
}

function subjectsIn(name: StreamName, stream: Stream, count: number, partition: number): string[] {
  if (name === 'SCANS') return subjectsOf(partition, count)
  return name === 'OVERFLOW' ? [`${overflowPrefix(partition)}*`] : [...stream.subjects]
}

/** What subjects of OVERFLOW begin with. Only tracking publishes there, which knows the partition. */
export const overflowPrefix = (partition: number): string =>
  partition === 0 ? OVERFLOW_PREFIX : `${OVERFLOW_PREFIX}${partition}.`
export const OVERFLOW_PREFIX = 'overflow.'

/** The broker's MQTT streams that older releases had in APP, before readers over MQTT got their own account. */
const OLDER_MQTT = ['$MQTT_msgs', '$MQTT_sess', '$MQTT_rmsgs', '$MQTT_qos2in', '$MQTT_out']

/** Whether tracking must read MQTT messages that an older release left, see `OLDER_MQTT`. */
export async function hasOlderMqttCopies(broker: Broker): Promise<boolean> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  const durable: DurableName = 'tracking-ingest-mqtt'
  return found(jsm.consumers.info(durables[durable].stream, durable))
}

/**
 * Removes the streams once tracking has read them, at the deployment after the upgrade. Keeps them while messages are
 * unread.
 */
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

type Placed = { name: string; stream: string; durable: Durable & { group?: string } }

async function applyDurable(jsm: JetStreamManager, { name, stream, durable }: Placed): Promise<void> {
  if (await found(jsm.consumers.info(stream, name)))
    await jsm.consumers.update(stream, name, changeable(durable))
  else await jsm.consumers.add(stream, durableConfig(name, durable))
}

/** Of a durable of which one replica at a time gets all messages. */
export const OWNER_GROUP = 'owner'
/** Without a request for so long, the broker takes the next replica for the owner. */
const PIN_MS = 9_000
/**
 * In a partition. Shorter than the time until the next owner, so that it gets what a dead one held first, and the order of an asset
 * is kept.
 */
export const OWNED = { group: OWNER_GROUP, ackWaitMs: 6_000 } as const

const changeable = ({ ackWaitMs, maxAckPending, filter, group }: Placed['durable']) => ({
  ack_wait: nanos(ackWaitMs),
  max_ack_pending: maxAckPending,
  max_deliver: MAX_DELIVER,
  ...(filter !== undefined && { filter_subject: filter }),
  ...(group !== undefined && {
    priority_groups: [group],
    priority_policy: 'pinned_client',
    priority_timeout: nanos(PIN_MS),
  }),
})

const durableConfig = (name: string, durable: Placed['durable']): Partial<ConsumerConfig> => ({
  durable_name: name,
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  replay_policy: ReplayPolicy.Instant,
  ...changeable(durable),
})

/**
 * For restore.ts only: re-creates a durable. It starts with messages stored at `since`, or with the first of the
 * stream.
 */
export async function makeDurable(jsm: JetStreamManager, name: DurableName, since?: Date): Promise<void> {
  const durable: Durable = durables[name]
  const places = placesOf(await countPartitionsOf(jsm))(durable.stream)
  const owned = places.length > 1 ? OWNED : {}
  const start = since && { deliver_policy: DeliverPolicy.StartTime, opt_start_time: since.toISOString() }
  for (const stream of places) {
    if (await found(jsm.consumers.info(stream, name))) await jsm.consumers.delete(stream, name)
    await jsm.consumers.add(stream, { ...durableConfig(name, { ...durable, ...owned }), ...start })
  }
}

/** For restore.ts only: whether the broker knows this stream or consumer. */
export const found = async (info: Promise<object>): Promise<boolean> => (await ifThere(info)) !== undefined

async function ifThere<T>(info: Promise<T>): Promise<T | undefined> {
  try {
    return await info
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return undefined
    throw error
  }
}
