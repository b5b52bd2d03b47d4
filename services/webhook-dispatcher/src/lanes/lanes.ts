import { HandedBack } from './handed-back.ts'
import type { Paces } from './paces.ts'

/** Rejecting is an answer to whoever called `run`; the lane goes on. `progress`: the lane may be allowed more now. */
export type Work = (progress: () => void) => Promise<void>

export type LaneLimits = {
  /** What the waiting deliveries of one organization may take. */
  laneBytes: number
  /** What those of all organizations may take. */
  totalBytes: number
}

type Entry = {
  bytes: number
  work: Work
  resolve: (outcome: 'ran' | 'dropped') => void
  reject: (error: unknown) => void
}
type Lane = { waiting: Entry[]; bytes: number; running: number }

/**
 * One lane per organization, in memory, in order of arrival. A receiver that hangs fills its own lane and no other:
 * when the lane is full its oldest delivery is dropped, when everything is full that of the longest lane whose receiver
 * is in trouble. So adding never waits, and the consumer in front never stands still for one organization's sake.
 */
export class Lanes {
  readonly #limits: LaneLimits
  readonly #paces: Paces
  readonly #lanes = new Map<number, Lane>()
  #waiting = 0
  #bytes = 0
  #running = 0
  #stopped = false

  constructor(limits: LaneLimits, paces: Paces) {
    this.#limits = limits
    this.#paces = paces
  }

  /** For metrics: lanes in use, deliveries waiting and the room they take, deliveries begun and not ended. */
  sizes(): { lanes: number; waiting: number; waiting_bytes: number; running: number } {
    return {
      lanes: this.#lanes.size,
      waiting: this.#waiting,
      waiting_bytes: this.#bytes,
      running: this.#running,
    }
  }

  /**
   * Runs `work` when its turn comes; until then it takes `bytes`. Resolves `ran` with it or `dropped` when room was
   * needed; rejects with what the work rejects with, or HandedBack when the lanes were stopped before its turn.
   */
  run(orgId: number, bytes: number, work: Work): Promise<'ran' | 'dropped'> {
    if (this.#stopped) return Promise.reject(new HandedBack())
    const lane = this.#lanes.get(orgId) ?? { waiting: [], bytes: 0, running: 0 }
    this.#lanes.set(orgId, lane)
    return new Promise((resolve, reject) => {
      lane.waiting.push({ bytes, work, resolve, reject })
      this.#count(lane, 1, bytes)
      this.#advance(orgId, lane)
      this.#makeRoom(lane)
    })
  }

  /** Rejects everything that waits; what runs may end. */
  stop(): void {
    this.#stopped = true
    for (const lane of this.#lanes.values()) {
      for (const entry of lane.waiting.splice(0)) entry.reject(new HandedBack())
      lane.bytes = 0
    }
    this.#waiting = 0
    this.#bytes = 0
  }

  #advance(orgId: number, lane: Lane): void {
    while (lane.running < this.#paces.allowed(orgId)) {
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
    while (this.#bytes > this.#limits.totalBytes) this.#takeOldest(this.#victim(lane))?.resolve('dropped')
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

  /** The longest lane among those of receivers in trouble; where there is none, among all. */
  #victim(than: Lane): Lane {
    let longest = than
    let troubled: Lane | undefined
    for (const [orgId, lane] of this.#lanes) {
      if (lane.bytes > longest.bytes) longest = lane
      if (lane.bytes > (troubled?.bytes ?? 0) && this.#paces.isInTrouble(orgId)) troubled = lane
    }
    return troubled ?? longest
  }
}
