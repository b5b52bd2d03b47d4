import type { PlannedAsset, WalkingKind } from '../stock.ts'
import { pick, type Random } from './random.ts'

/**
 * Paths through the warehouse, used in both directions: gate, inbound docks, inspection, along an aisle, packing,
 * outbound docks, gate. An RFID antenna sees every stop.
 */
const WAYS = [
  ['GATE-1', 'DOCK-1', 'INSPECTION'],
  ['GATE-1', 'DOCK-2', 'INSPECTION'],
  ['INSPECTION', 'INSPECTION-BENCH-1'],
  throughAisle('A'),
  throughAisle('B'),
  throughAisle('C'),
  ['PACKING-LINE-1', 'PACKING-LINE-2', 'DOCK-4', 'GATE-1'],
  ['PACKING-LINE-1', 'DOCK-3', 'GATE-1'],
]

function throughAisle(aisle: string): string[] {
  const bays = [1, 2, 3, 4].map((bay) => `AISLE-${aisle}-BAY-${bay}`)
  return ['INSPECTION', ...bays, 'PACKING-LINE-1']
}

/** The stops next to each stop. */
export function neighbours(): Map<string, string[]> {
  const next = new Map<string, string[]>()
  const add = (from: string, to: string) => next.set(from, [...(next.get(from) ?? []), to])
  for (const way of WAYS) {
    for (const [index, to] of way.slice(1).entries()) {
      const from = way[index] ?? to
      add(from, to)
      add(to, from)
    }
  }
  return next
}

/** Shares of all moves: mostly vehicles and people, boxes seldom. */
const SHARE_OF_MOVES: Record<WalkingKind, number> = {
  forklift: 0.4,
  person: 0.2,
  pallet: 0.2,
  tote: 0.15,
  box: 0.05,
}
/** Share of the goods that start in the aisles. */
const SHARE_STORED = 0.7

export type Walk = {
  /** The location key where the asset is. */
  whereIs(asset: PlannedAsset): string
  /** Moves one asset by one step and returns it. */
  step(): PlannedAsset
}

/** Whether an asset walks between the stops. The others have rooms or a gate of their own. */
export const isWalking = ({ kind }: PlannedAsset): boolean => kind in SHARE_OF_MOVES

const isRoving = ({ kind }: PlannedAsset) => kind === 'forklift' || kind === 'person'

/** A random walk of all assets, the same for the same generator. */
export function createWalk(assets: readonly PlannedAsset[], random: Random): Walk {
  const next = neighbours()
  const stops = [...next.keys()]
  const bays = stops.filter((stop) => stop.startsWith('AISLE-'))
  const startOf = (asset: PlannedAsset) =>
    pick(random, !isRoving(asset) && random() < SHARE_STORED ? bays : stops)
  const places = new Map(assets.map((asset) => [asset.key, startOf(asset)]))
  const whereIs = ({ key }: PlannedAsset) => places.get(key) ?? pick(random, stops)
  return {
    whereIs,
    step() {
      const kind = kindToMove(random())
      const asset = pick(
        random,
        assets.filter((candidate) => candidate.kind === kind),
      )
      places.set(asset.key, pick(random, next.get(whereIs(asset)) ?? stops))
      return asset
    },
  }
}

/** The kind at this point, from 0 to 1, of the cumulated shares. */
function kindToMove(place: number): WalkingKind {
  const shares: [WalkingKind, number][] = [
    ['forklift', SHARE_OF_MOVES.forklift],
    ['person', SHARE_OF_MOVES.person],
    ['pallet', SHARE_OF_MOVES.pallet],
    ['tote', SHARE_OF_MOVES.tote],
  ]
  let end = 0
  const found = shares.find(([, share]) => place < (end += share))
  return found?.[0] ?? 'box'
}
