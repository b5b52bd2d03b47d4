import { BURST_SECONDS, type Allowance } from '@whereabouts/contracts/messages/reader-rates'
import type { Sent } from '@whereabouts/messaging/readers/account-connections'

/** A user to disconnect, and its rates over the last two seconds. */
export type Flooder = { user: string; messagesPerSecond: number; bytesPerSecond: number }

/** Multiple of the rate that ingest accepts. A reader above it already loses messages there. */
const TOLERANCE = 2
/** Multiple of the burst that ingest accepts. Lower for bytes, because they cost the others more. */
const BURST_TOLERANCE = { messages: 2, bytes: 1 } as const
/** Fill of a bucket after a disconnect, for the remaining readers. */
const AFTER_FLOOD = 0.25
/** A user with this share of the excess is disconnected. */
const SHARE_OF_EXCESS = 0.1
const WINDOW_MS = 2_000
/** Above this number of buckets, full ones are deleted. Others are not: an eviction would lift the limit. */
const SWEEP_ABOVE = 10_000
const FULL_AGAIN_MS = BURST_SECONDS.messages * 1_000

type What = 'messages' | 'bytes'
type Bucket = { tokens: Record<What, number>; atMs: number; window: (Sent & { atMs: number })[] }

/** Two token buckets for each organization, one of messages and one of bytes, and the users who emptied them. */
export class FloodBuckets {
  readonly #buckets = new Map<number, Bucket>()

  /**
   * Takes what users of an organization sent until `atMs`, by a monotonic clock. Returns the users to disconnect: none
   * unless a bucket is empty.
   */
  take(
    orgId: number,
    sent: readonly Sent[],
    allowance: Omit<Allowance, 'readsPerSecond'>,
    atMs: number,
  ): Flooder[] {
    const rates = { messages: allowance.messagesPerSecond, bytes: allowance.bytesPerSecond }
    const bucket = this.#bucket(orgId, rates, atMs)
    bucket.window = bucket.window.filter((one) => one.atMs > atMs - WINDOW_MS)
    for (const one of sent) bucket.window.push({ ...one, atMs })
    const guilty = new Set<string>()
    for (const what of ['messages', 'bytes'] as const) {
      const most = burstOf(rates, what)
      const filled = bucket.tokens[what] + ((atMs - bucket.atMs) / 1_000) * rates[what] * TOLERANCE
      bucket.tokens[what] = Math.min(most, filled) - sumOf(sent, what)
      if (bucket.tokens[what] >= 0) continue
      for (const user of flooders(bucket.window, what, rates[what])) guilty.add(user)
      bucket.tokens[what] = most * AFTER_FLOOD
    }
    bucket.atMs = atMs
    const found = [...guilty].map((user) => flooderOf(user, bucket.window))
    bucket.window = bucket.window.filter(({ user }) => !guilty.has(user))
    return found
  }

  #bucket(orgId: number, rates: Record<What, number>, atMs: number): Bucket {
    const known = this.#buckets.get(orgId)
    if (known) return known
    if (this.#buckets.size >= SWEEP_ABOVE)
      for (const [id, bucket] of this.#buckets)
        if (atMs - bucket.atMs >= FULL_AGAIN_MS) this.#buckets.delete(id)
    const tokens = { messages: burstOf(rates, 'messages'), bytes: burstOf(rates, 'bytes') }
    const bucket: Bucket = { tokens, atMs, window: [] }
    this.#buckets.set(orgId, bucket)
    return bucket
  }
}

const burstOf = (rates: Record<What, number>, what: What) =>
  rates[what] * BURST_SECONDS[what] * BURST_TOLERANCE[what]

const sumOf = (sent: readonly Sent[], what: What) => sent.reduce((sum, one) => sum + one[what], 0)

/**
 * Users that sent at least a tenth of the excess. If many send a little each, the largest until the rest is within the
 * rate. The excess is at least half, because a bucket empties at twice the rate.
 */
function flooders(window: readonly Sent[], what: What, rate: number): string[] {
  const byUser = Map.groupBy(window, ({ user }) => user)
  const totals = [...byUser].map(([user, sent]) => ({ user, total: sumOf(sent, what) }))
  const all = sumOf(window, what)
  const allowed = (rate * WINDOW_MS) / 1_000
  const excess = Math.max(all - allowed, all / 2)
  const guilty: string[] = []
  let rest = all
  for (const { user, total } of totals.toSorted((a, b) => b.total - a.total)) {
    if (total === 0 || (total < excess * SHARE_OF_EXCESS && rest <= allowed)) break
    guilty.push(user)
    rest -= total
  }
  return guilty
}

function flooderOf(user: string, window: readonly Sent[]): Flooder {
  const its = window.filter((one) => one.user === user)
  const seconds = WINDOW_MS / 1_000
  return {
    user,
    messagesPerSecond: Math.round(sumOf(its, 'messages') / seconds),
    bytesPerSecond: Math.round(sumOf(its, 'bytes') / seconds),
  }
}
