import { limits } from '@whereabouts/contracts/limits'
import { serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import { tooManyStreams } from '../../errors.ts'

export const { user: MAX_PER_USER, address: MAX_PER_ADDRESS, organization: MAX_PER_ORG } = limits.liveStreams
/** Of all organizations together, in each process. */
export const MAX_CONNECTIONS = 1_000
/** The last of `MAX_CONNECTIONS` are for organizations without a stream, one for each. */
export const RESERVED = 250
/** If the feed is full and nobody holds more than one stream, the oldest one ends after this time: all take turns. */
export const TURN_MS = 60_000

/** The owner of a stream. `address` is an IPv4 address or an IPv6 /64. */
export type Listener = { orgId: number; userId: number; address: string }

/**
 * Counts the live streams of this process, and chooses the stream that ends for a new one. No organizations can close
 * the feed for another: if it is full, a stream of the organization with the most streams ends.
 */
export class StreamShares<S extends { readonly listener: Listener; readonly openedAtMs: number }> {
  /** Oldest first. */
  readonly #all = new Set<S>()
  readonly #orgs = new Map<number, Set<S>>()
  readonly #users = new Map<number, Set<S>>()
  readonly #addresses = new Map<string, Set<S>>()

  get size(): number {
    return this.#all.size
  }

  /** The streams of one organization. */
  of(orgId: number): ReadonlySet<S> | undefined {
    return this.#orgs.get(orgId)
  }

  all(): S[] {
    return [...this.#all]
  }

  /**
   * Undefined if there is room for one more stream of this listener; otherwise the stream that must end for it.
   * Throws 429 if the listener has its share already, 503 if every stream is younger than `TURN_MS`.
   */
  claim({ orgId, userId, address }: Listener, nowMs: number): S | undefined {
    const [ofOrg, ofAddress] = [sizeOf(this.#orgs, orgId), sizeOf(this.#addresses, address)]
    if (sizeOf(this.#users, userId) >= MAX_PER_USER) throw tooManyStreams(MAX_PER_USER, 'a user')
    if (ofAddress >= MAX_PER_ADDRESS) throw tooManyStreams(MAX_PER_ADDRESS, 'a client address')
    if (ofOrg >= MAX_PER_ORG) throw tooManyStreams(MAX_PER_ORG, 'an organization')
    if (this.size < (ofOrg === 0 ? MAX_CONNECTIONS : MAX_CONNECTIONS - RESERVED)) return undefined
    const largest = largestOf(this.#orgs)
    if (largest && ofOrg + 1 < largest.size) return newestOf(largest)
    if (ofOrg > 0) throw tooManyStreams(ofOrg, 'an organization') // it already has as many as its share is now
    const busiest = largestOf(this.#addresses)
    if (busiest && ofAddress + 1 < busiest.size) return newestOf(busiest)
    const [oldest] = this.#all
    if (oldest && oldest.openedAtMs + TURN_MS <= nowMs) return oldest
    throw serviceUnavailable()
  }

  add(stream: S): void {
    const { orgId, userId, address } = stream.listener
    this.#all.add(stream)
    put(this.#orgs, orgId, stream)
    put(this.#users, userId, stream)
    put(this.#addresses, address, stream)
  }

  /** May be called more than once. */
  remove(stream: S): void {
    const { orgId, userId, address } = stream.listener
    if (!this.#all.delete(stream)) return
    drop(this.#orgs, orgId, stream)
    drop(this.#users, userId, stream)
    drop(this.#addresses, address, stream)
  }
}

type Sets<K, S> = Map<K, Set<S>>

const sizeOf = <K, S>(sets: Sets<K, S>, key: K) => sets.get(key)?.size ?? 0

function put<K, S>(sets: Sets<K, S>, key: K, stream: S): void {
  sets.set(key, (sets.get(key) ?? new Set<S>()).add(stream))
}

function drop<K, S>(sets: Sets<K, S>, key: K, stream: S): void {
  const streams = sets.get(key)
  streams?.delete(stream)
  if (streams?.size === 0) sets.delete(key)
}

/** Reads at most a thousand sets, and only while the feed is full. */
function largestOf<K, S>(sets: Sets<K, S>): Set<S> | undefined {
  let largest: Set<S> | undefined
  for (const streams of sets.values()) if (streams.size > (largest?.size ?? 0)) largest = streams
  return largest
}

/** The newest, so that long streams continue. */
const newestOf = <S>(streams: Set<S>): S | undefined => [...streams].at(-1)
