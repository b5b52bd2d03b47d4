import { advance, type Movement } from './movements.ts'
import type { Observation } from './observation.ts'
import { carried, evidenceAfterCarry } from './after.ts'
import { decide, type RowBefore } from './decide.ts'
import { carryAtMs, waitingOf } from './evidence.ts'
import type { Position } from './position.ts'
import type { PlacementRules } from './rules.ts'

/** Of each asset, for its late reads. */
const KEPT_ROWS = 60

/** `atMs`: when the movement is announced. */
export type SimulatedMovement = Movement & { atMs: number }

type Simulated = { position: Position | undefined; rows: RowBefore[] }

/** What ingest would store of some reads under these rules, in memory. It starts without any position. */
export class Simulation {
  readonly #rules: PlacementRules
  readonly #isDeleted: (locationId: number) => boolean
  readonly #assets = new Map<number, Simulated>()

  constructor(rules: PlacementRules, isDeleted: (locationId: number) => boolean = () => false) {
    this.#rules = rules
    this.#isDeleted = isDeleted
  }

  /** Takes reads of one message, in the order of arrival. Returns the movements, also those that were due before it came. */
  take(reads: readonly Observation[], receivedAtMs: number): SimulatedMovement[] {
    return [...Map.groupBy(reads, ({ assetId }) => assetId)].flatMap(([assetId, own]) => {
      const asset = this.#assets.get(assetId) ?? { position: undefined, rows: [] }
      this.#assets.set(assetId, asset)
      return this.#carry(asset, receivedAtMs).concat(this.#decide(asset, own, receivedAtMs))
    })
  }

  /** Carries what waits after the last message. Returns the movements. */
  end(): SimulatedMovement[] {
    return [...this.#assets.values()].flatMap((asset) => this.#carry(asset, Infinity))
  }

  /** Of an asset, after everything that waits is carried. */
  positionOf(assetId: number): Position | undefined {
    this.end()
    return this.#assets.get(assetId)?.position
  }

  #decide(asset: Simulated, reads: readonly Observation[], nowMs: number): SimulatedMovement[] {
    const { position } = asset
    const { rows, replaced, evidence } = decide(position, reads, {
      rules: this.#rules,
      isDeleted: this.#isDeleted,
      nowMs,
      rowBefore: (minute) => asset.rows.findLast((row) => row.minute <= minute),
    })
    const isNew = (row: Observation) => {
      const there = asset.rows.find(({ minute }) => minute === row.minute)
      return there === undefined || (there.locationId === null && row.locationId !== null)
    }
    return this.#store(asset, [...rows.filter(isNew), ...(replaced ? [replaced] : [])], evidence, nowMs)
  }

  #carry(asset: Simulated, nowMs: number): SimulatedMovement[] {
    const { position } = asset
    const waiting = position && this.#rules.passages === 'carry' ? waitingOf(position) : null
    if (!position || !waiting) return []
    const dueMs = carryAtMs(waiting)
    const row = dueMs <= nowMs ? carried(position) : undefined
    return row ? this.#store(asset, [row], evidenceAfterCarry(position), dueMs) : []
  }

  #store(
    asset: Simulated,
    rows: readonly Observation[],
    evidence: Position['evidence'],
    atMs: number,
  ): SimulatedMovement[] {
    const { positions, movements } = advance(asset.position ? [asset.position] : [], rows)
    const position = positions[0] ?? asset.position
    if (position) asset.position = { ...position, evidence }
    for (const row of rows) {
      const at = asset.rows.findIndex(({ minute }) => minute >= row.minute)
      const isThere = asset.rows[at]?.minute === row.minute
      asset.rows.splice(at === -1 ? asset.rows.length : at, isThere ? 1 : 0, row)
    }
    asset.rows.splice(0, asset.rows.length - KEPT_ROWS)
    return movements.map((movement) => Object.assign(movement, { atMs }))
  }
}
