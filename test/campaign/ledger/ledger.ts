/** Something that the contract does not allow. `kind` tells findings apart when a plan is shrunk. */
export type Finding = { kind: string; what: string }

/** Minutes since 1970. */
export type Minute = number
export const minuteOf = (ms: number): Minute => Math.floor(ms / 60_000)

/**
 * The locations at which the broker has confirmed reads of an asset in a minute. `possible`: those of reads without a
 * confirmation, which may or may not have arrived.
 */
type Sighting = { confirmed: Set<number>; possible: Set<number> }

/** A save of an asset. `savedAtMs` is undefined if it was not answered. */
export type Save = { locationId: number; sentAtMs: number; endedAtMs: number; savedAtMs?: number }

export class AssetLedger {
  readonly id: number
  readonly key: string
  readonly sightings = new Map<Minute, Sighting>()
  readonly saves: Save[] = []

  constructor(id: number, key: string) {
    this.id = id
    this.key = key
  }

  read(minute: Minute, locationId: number, confirmed: boolean): void {
    const known = this.sightings.get(minute) ?? { confirmed: new Set(), possible: new Set() }
    known[confirmed ? 'confirmed' : 'possible'].add(locationId)
    this.sightings.set(minute, known)
  }
}

/** What an organization has done in a round, as far as its clients know. */
export type OrgLedger = { id: number; assets: Map<number, AssetLedger> }

export type HistoryRow = { observedAtMs: number; locationId: number | null }

/** A movement in the stream EVENTS. */
export type Movement = {
  deliveryId: string
  assetId: number
  occurredAtMs: number
  fromId: number | null
  toId: number
}

/** A request to the receiver. */
export type Delivery = {
  atMs: number
  deliveryId: string
  body: string
  /** The organization whose address was called. */
  orgId: number
  hasValidSignature: boolean
  /** What the receiver answered; 0 if nothing. */
  status: number
}

/** What the system says about an organization at the end of a round. */
export type OrgFacts = {
  history: ReadonlyMap<number, readonly HistoryRow[]>
  report: ReadonlyMap<number, HistoryRow>
  movements: readonly Movement[]
  deliveries: readonly Delivery[]
}

export const instant = (ms: number): string => new Date(ms).toISOString()
