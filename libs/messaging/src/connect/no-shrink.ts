import { millis, NatsError, type JetStreamManager, type StreamConfig, type StreamInfo } from 'nats'

type Limits = Pick<StreamConfig, 'name' | 'max_bytes' | 'num_replicas' | 'max_age'>
export type StreamChange = {
  info: {
    config: Pick<StreamConfig, 'num_replicas'>
    state: Pick<StreamInfo['state'], 'bytes' | 'messages' | 'first_ts'>
  }
  wanted: Limits
}

/** Applying the configuration would drop messages or copies. The text names each stream, what it has and what to do. */
export class StreamsWouldShrink extends Error {
  constructor(losses: readonly string[]) {
    super(
      `${losses.join('; ')}. Nothing has changed. Give the limits of this installation (SCANS_MAX_BYTES, ` +
        'STREAM_REPLICAS), or accept the loss: node deploy/apply-topology.ts --shrink',
    )
  }
}

/**
 * Throws StreamsWouldShrink if a change drops what is stored: a restore or an older release must not lose scans
 * because it knows other limits. A lower limit that still holds everything stored is allowed.
 */
export function refuseToShrink(changes: readonly StreamChange[], now = Date.now()): void {
  const losses = changes.flatMap((change) => lossesOf(change, now))
  if (losses.length > 0) throw new StreamsWouldShrink(losses)
}

function lossesOf({ info: { config, state }, wanted }: StreamChange, now: number): string[] {
  const { name, max_bytes: bytes, num_replicas: copies } = wanted
  const losses: string[] = []
  if (bytes >= 0 && state.bytes > bytes)
    losses.push(`stream ${name} holds ${state.bytes} bytes and would be limited to ${bytes}`)
  if (copies < config.num_replicas)
    losses.push(`stream ${name} has ${config.num_replicas} copies and would have ${copies}`)
  const maxAgeMs = millis(wanted.max_age)
  if (maxAgeMs > 0 && state.messages > 0 && Date.parse(state.first_ts) < now - maxAgeMs)
    losses.push(
      `stream ${name} holds messages since ${state.first_ts} and would keep only ${maxAgeMs / 3_600_000} h`,
    )
  return losses
}

/** The broker's codes of "insufficient storage resources available" and of its forms in a cluster. */
const NO_ROOM = new Set([10_005, 10_023, 10_047])

/** An error that names the stream and the sizes, for the broker's refusal to reserve its bytes; other errors as they are. */
export async function withSizes(error: unknown, jsm: JetStreamManager, wanted: Limits): Promise<unknown> {
  const code = error instanceof NatsError ? error.api_error?.err_code : undefined
  if (code === undefined || !NO_ROOM.has(code)) return error
  const { storage } = await jsm.getAccountInfo()
  return new Error(
    `the brokers have no room for stream ${wanted.name}: it wants ${wanted.max_bytes} bytes in ${wanted.num_replicas} ` +
      `copies, and the streams of this account hold ${storage} bytes, both before compression. Enlarge the brokers' disks and max_file_store, or ` +
      'lower SCANS_MAX_BYTES: docs/scaling.md',
    { cause: error },
  )
}
