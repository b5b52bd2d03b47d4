import { HandedBack } from './handed-back.ts'

/** Told by the work of a lane after each attempt: whether the receiver took it. */
export type ReportHealth = (healthy: boolean) => void

/** Rejecting is an answer to whoever called `run`; the lane goes on. */
export type Work = (report: ReportHealth) => Promise<void>

export type LaneLimits = {
  /** Deliveries of one organization at the same time, while its receiver is well. */
  perLane: number
  /** Waiting deliveries of one organization. */
  laneCapacity: number
  /** Waiting deliveries of all organizations. */
  totalCapacity: number
}

type Entry = { work: Work; resolve: (outcome: 'ran' | 'dropped') => void; reject: (error: unknown) => void }
type Lane = { waiting: Entry[]; running: number; healthy: boolean }

/**
 * One lane per organization, in memory, in order of arrival. A receiver that hangs fills its own lane and no other:
 * when the lane is full its oldest delivery is dropped, when everything is full that of the longest lane. So adding
 * never waits, and the consumer in front never stands still for one organization's sake.
 */
export class Lanes {
  readonly #limits: LaneLimits
  readonly #lanes = new Map<number, Lane>()
  #waiting = 0
  #running = 0
  #stopped = false

  constructor(limits: LaneLimits) {
    this.#limits = limits
  }

  /** For metrics: lanes in use, deliveries waiting, deliveries begun and not ended. */
  sizes(): { lanes: number; waiting: number; running: number } {
    return { lanes: this.#lanes.size, waiting: this.#waiting, running: this.#running }
  }

  /**
   * Runs `work` when its turn comes. Resolves `ran` with it or `dropped` when room was needed; rejects with what the
   * work rejects with, or HandedBack when the lanes were stopped before its turn.
   */
  run(orgId: number, work: Work): Promise<'ran' | 'dropped'> {
    if (this.#stopped) return Promise.reject(new HandedBack())
    const lane = this.#lanes.get(orgId) ?? { waiting: [], running: 0, healthy: true }
    this.#lanes.set(orgId, lane)
    return new Promise((resolve, reject) => {
      lane.waiting.push({ work, resolve, reject })
      this.#waiting += 1
      this.#advance(orgId, lane)
      if (lane.waiting.length > this.#limits.laneCapacity) this.#dropOldest(lane)
      else if (this.#waiting > this.#limits.totalCapacity) this.#dropOldest(this.#longest(lane))
    })
  }

  /** Rejects everything that waits; what runs may end. */
  stop(): void {
    this.#stopped = true
    for (const lane of this.#lanes.values()) {
      for (const entry of lane.waiting.splice(0)) entry.reject(new HandedBack())
    }
    this.#waiting = 0
  }

  #advance(orgId: number, lane: Lane): void {
    // A receiver in trouble is asked one delivery at a time: it holds one of the shared slots, not several.
    const allowed = lane.healthy ? this.#limits.perLane : 1
    while (lane.running < allowed) {
      const entry = lane.waiting.shift()
      if (!entry) break
      this.#waiting -= 1
      this.#begin(orgId, lane, entry)
    }
    if (lane.running === 0 && lane.waiting.length === 0) this.#lanes.delete(orgId)
  }

  #begin(orgId: number, lane: Lane, { work, resolve, reject }: Entry): void {
    lane.running += 1
    this.#running += 1
    const report = (healthy: boolean) => {
      lane.healthy = healthy
      if (healthy) this.#advance(orgId, lane)
    }
    void work(report)
      .then(() => resolve('ran'), reject)
      .finally(() => {
        lane.running -= 1
        this.#running -= 1
        this.#advance(orgId, lane)
      })
  }

  #dropOldest(lane: Lane): void {
    const oldest = lane.waiting.shift()
    if (!oldest) return
    this.#waiting -= 1
    oldest.resolve('dropped')
  }

  #longest(than: Lane): Lane {
    let longest = than
    for (const lane of this.#lanes.values()) if (lane.waiting.length > longest.waiting.length) longest = lane
    return longest
  }
}
