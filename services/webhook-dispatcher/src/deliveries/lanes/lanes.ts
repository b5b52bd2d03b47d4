import { Requeued } from './requeued.ts'
import type { AdaptiveConcurrency } from './adaptive-concurrency.ts'

/** If it rejects, `run` rejects, and the lane continues. `progress`: more deliveries may be allowed now. */
export type Work = (progress: () => void) => Promise<void>

export type LaneLimits = {
  /** For the waiting deliveries of one organization. */
  laneBytes: number
  /** For the waiting deliveries of all organizations. */
  totalBytes: number
}

/**
 * About 17 000 and 34 000 deliveries of ordinary size. The largest save (10 000 assets) fits into one lane. Two full
 * replicas hold fewer deliveries than the `maxAckPending` of the durable.
 */
export const LANE_LIMITS: LaneLimits = { laneBytes: 128 * 1024 * 1024, totalBytes: 256 * 1024 * 1024 }

type Entry = {
  bytes: number
  work: Work
  resolve: (outcome: 'ran' | 'dropped') => void
  reject: (error: unknown) => void
}
type Lane = { waiting: Entry[]; bytes: number; running: number }

/**
 * One lane per organization, in memory, in order of arrival. A receiver that hangs fills only its own lane. A full lane
 * drops its oldest delivery. When all lanes together are full, the longest lane whose receiver is in trouble drops its
 * oldest delivery. So adding never waits, and no organization stops the consumer.
 */
export class Lanes {
  readonly #limits: LaneLimits
  readonly #concurrency: AdaptiveConcurrency
  readonly #lanes = new Map<number, Lane>()
  #waiting = 0
  #bytes = 0
  #running = 0
  #stopped = false

  constructor(limits: LaneLimits, concurrency: AdaptiveConcurrency) {
    this.#limits = limits
    this.#concurrency = concurrency
  }

  /** For metrics: lanes in use, waiting deliveries, their bytes, and running deliveries. */
  sizes(): { lanes: number; waiting: number; waiting_bytes: number; running: number } {
    return {
      lanes: this.#lanes.size,
      waiting: this.#waiting,
      waiting_bytes: this.#bytes,
      running: this.#running,
    }
  }

  /**
   * Runs `work` when the deliveries before it are done; until then it occupies `bytes`. Resolves with `ran`, or
   * `dropped` if its lane needed the room. Rejects like `work`, or with Requeued if the lanes are stopped first.
   */
  run(orgId: number, bytes: number, work: Work): Promise<'ran' | 'dropped'> {
    if (this.#stopped) return Promise.reject(new Requeued())
    const lane = this.#lanes.get(orgId) ?? { waiting: [], bytes: 0, running: 0 }
    this.#lanes.set(orgId, lane)
    return new Promise((resolve, reject) => {
      lane.waiting.push({ bytes, work, resolve, reject })
      this.#count(lane, 1, bytes)
      this.#advance(orgId, lane)
      this.#makeRoom(lane)
    })
  }

  /** Rejects waiting deliveries with Requeued. Running ones may end. */
  stop(): void {
    this.#stopped = true
    for (const lane of this.#lanes.values()) {
      for (const entry of lane.waiting.splice(0)) entry.reject(new Requeued())
      lane.bytes = 0
    }
    this.#waiting = 0
    this.#bytes = 0
  }

  #advance(orgId: number, lane: Lane): void {
    while (lane.running < this.#concurrency.allowed(orgId)) {
      const entry = this.#takeOldest(lane)
      if (!entry) break
      this.#begin(orgId, lane, entry)
    }
    if (lane.running === 0 && lane.waiting.length === 0) this.#lanes.delete(orgId)
  }

  #begin(orgId: number, lane: Lane, { work, resolve, reject }: Entry): void {
    lane.running += 1
    this.#running += 1
    void work(() => this.#advance(orgId, lane))
      .then(() => resolve('ran'), reject)
      .finally(() => {
        lane.running -= 1
        this.#running -= 1
        this.#advance(orgId, lane)
      })
  }

  #makeRoom(lane: Lane): void {
    while (lane.bytes > this.#limits.laneBytes) this.#takeOldest(lane)?.resolve('dropped')
    while (this.#bytes > this.#limits.totalBytes)
      this.#takeOldest(this.#laneToShorten(lane))?.resolve('dropped')
  }

  #takeOldest(lane: Lane): Entry | undefined {
    const oldest = lane.waiting.shift()
    if (oldest) this.#count(lane, -1, -oldest.bytes)
    return oldest
  }

  #count(lane: Lane, entries: number, bytes: number): void {
    lane.bytes += bytes
    this.#waiting += entries
    this.#bytes += bytes
  }

  /** The longest lane of a receiver in trouble; if there is none, the longest of all. */
  #laneToShorten(than: Lane): Lane {
    let longest = than
    let troubled: Lane | undefined
    for (const [orgId, lane] of this.#lanes) {
      if (lane.bytes > longest.bytes) longest = lane
      if (lane.bytes > (troubled?.bytes ?? 0) && this.#concurrency.isInTrouble(orgId)) troubled = lane
    }
    return troubled ?? longest
  }
}
