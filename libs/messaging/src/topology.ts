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

type Stream = {
  subjects: readonly string[]
  /** Left out: kept for ever, or until another bound is met. The oldest message goes first. */
  maxAgeMs?: number
  maxBytes?: number
  /** 1 makes the stream a compacted log: the last message of each subject. */
  maxPerSubject?: number
  /** Kept until those who consume it durably have had it, and no longer. */
  untilConsumed?: boolean
}

/** The streams of architecture.md. `scans.>` may grow to `scansMaxBytes`, see `applyTopology`. */
export const streams = {
  SCANS: { subjects: ['scans.>'], maxAgeMs: 72 * HOUR, maxBytes: 1024 * MEBIBYTE },
  CATALOG: { subjects: ['catalog.>'], maxPerSubject: 1 },
  KEYS: { subjects: ['keys.>'], maxPerSubject: 1 },
  EVENTS: { subjects: ['events.>'], maxAgeMs: 168 * HOUR },
  PLACEMENTS: { subjects: ['placements.>'], maxAgeMs: 168 * HOUR },
  DEAD: { subjects: ['dead.>'], maxAgeMs: 168 * HOUR, maxBytes: 64 * MEBIBYTE },
  // The broker's own: what it has acknowledged over MQTT. It would make it without bounds with the first reader.
  $MQTT_msgs: {
    subjects: ['$MQTT.msgs.>'],
    maxAgeMs: 72 * HOUR,
    maxBytes: 1024 * MEBIBYTE,
    untilConsumed: true,
  },
} as const satisfies Record<string, Stream>
export type StreamName = keyof typeof streams
export const streamNames = Object.keys(streams) as StreamName[]

type Durable = {
  stream: StreamName
  /** A message held longer than this without a word is given to another replica. */
  ackWaitMs: number
  /** Delivered and not yet acknowledged, over all replicas: the backpressure towards the broker. */
  maxAckPending: number
  /** Left out: all subjects of the stream. */
  filter?: string
}

/** Before the subject of a message that came over MQTT, in the broker's own stream of them. */
export const MQTT_PREFIX = '$MQTT.msgs.'

/** Who consumes durably. Views in memory are not here: they use `followStream`. */
export const durables = {
  'tracking-ingest': { stream: 'SCANS', ackWaitMs: 30 * SECOND, maxAckPending: 10_000 },
  'tracking-ingest-mqtt': {
    stream: '$MQTT_msgs',
    filter: `${MQTT_PREFIX}scans.>`,
    ackWaitMs: 30 * SECOND,
    maxAckPending: 10_000,
  },
  'tracking-catalog': { stream: 'CATALOG', ackWaitMs: 30 * SECOND, maxAckPending: 5_000 },
  'tracking-placements': { stream: 'PLACEMENTS', ackWaitMs: 30 * SECOND, maxAckPending: 1_000 },
  // Everything that waits for a receiver: two replicas with full lanes (their LANE_LIMITS).
  'webhook-dispatcher-lanes': { stream: 'EVENTS', ackWaitMs: 30 * SECOND, maxAckPending: 100_000 },
} as const satisfies Record<string, Durable>
export type DurableName = keyof typeof durables

/**
 * The server's own limit. It lies above every retry policy of ours (see `settle`), which buries with a reason and a
 * copy: past this one delivery just stops. It is the net under handlers that take the whole process down.
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

/** Creates what is missing and updates what differs; safe to run again, and from two places at once. */
export async function applyTopology(broker: Broker, options: TopologyOptions = {}): Promise<void> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  for (const [name, stream] of Object.entries<Stream>(streams)) await applyStream(jsm, name, stream, options)
  for (const [name, durable] of Object.entries<Durable>(durables))
    await applyDurable(jsm, name, { ...durable, ackWaitMs: options.ackWaitMs ?? durable.ackWaitMs })
}

async function applyStream(jsm: JetStreamManager, name: string, stream: Stream, options: TopologyOptions) {
  const config = streamConfig(name, stream, options)
  const exists = await found(jsm.streams.info(name))
  if (exists) await jsm.streams.update(name, config)
  else await jsm.streams.add(config)
}

function streamConfig(name: string, stream: Stream, { replicas = 1, scansMaxBytes }: TopologyOptions) {
  const isOfReaders = name === 'SCANS' || name === '$MQTT_msgs'
  const maxBytes = isOfReaders ? (scansMaxBytes ?? stream.maxBytes) : stream.maxBytes
  return {
    name,
    subjects: [...stream.subjects],
    storage: StorageType.File,
    retention: stream.untilConsumed ? RetentionPolicy.Interest : RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: nanos(stream.maxAgeMs ?? 0),
    max_bytes: maxBytes ?? -1,
    max_msgs_per_subject: stream.maxPerSubject ?? -1,
    duplicate_window: nanos(120 * SECOND),
    num_replicas: replicas,
  }
}

async function applyDurable(jsm: JetStreamManager, name: string, durable: Durable): Promise<void> {
  const { stream, ackWaitMs, maxAckPending, filter } = durable
  const changeable = changeableConfig(ackWaitMs, maxAckPending)
  if (await found(jsm.consumers.info(stream, name))) {
    await jsm.consumers.update(stream, name, changeable)
    return
  }
  await jsm.consumers.add(stream, {
    ...fixedConfig(name),
    ...changeable,
    ...(filter !== undefined && { filter_subject: filter }),
  })
}

const changeableConfig = (ackWaitMs: number, maxAckPending: number) => ({
  ack_wait: nanos(ackWaitMs),
  max_ack_pending: maxAckPending,
  max_deliver: MAX_DELIVER,
})

const fixedConfig = (name: string) =>
  ({
    durable_name: name,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    replay_policy: ReplayPolicy.Instant,
  }) satisfies Partial<ConsumerConfig>

/** For restore.ts only: makes a durable anew, which begins with what was stored at `since`, or with all there is. */
export async function makeDurable(jsm: JetStreamManager, name: DurableName, since?: Date): Promise<void> {
  const { stream, ackWaitMs, maxAckPending } = durables[name]
  if (await found(jsm.consumers.info(stream, name))) await jsm.consumers.delete(stream, name)
  const start = since && { deliver_policy: DeliverPolicy.StartTime, opt_start_time: since.toISOString() }
  const changeable = changeableConfig(ackWaitMs, maxAckPending)
  await jsm.consumers.add(stream, { ...fixedConfig(name), ...start, ...changeable })
}

/** For restore.ts only: whether the broker knows what was asked about. */
export async function found(info: Promise<unknown>): Promise<boolean> {
  try {
    await info
    return true
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return false
    throw error
  }
}
