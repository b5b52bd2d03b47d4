import type { AssetPlaced } from '@whereabouts/contracts/messages/asset-placed'
import { TrackingUnavailable, type Misplaced, type Tracking } from '../src/assets/tracking/tracking.ts'

/** Stands in for tracking. `away` makes it unreachable. */
export class TrackingStandIn implements Tracking {
  away = false
  /** Placements that catalog sent. */
  placed: AssetPlaced[] = []
  /** The number of assets in each call of `locationsOf`. */
  pageSizes: number[] = []
  partSize = 2
  readonly #positions = new Map<string, number>()
  readonly #seenAt = new Map<string, string>()

  see(orgId: number, assetId: number, locationId: number, at = '2026-01-01T00:00:00.000Z'): void {
    this.#positions.set(`${orgId} ${assetId}`, locationId)
    this.#seenAt.set(`${orgId} ${assetId}`, at)
  }

  async locationsOf(orgId: number, assetIds: readonly number[]): Promise<Map<number, number>> {
    this.#refuseAway()
    this.pageSizes.push(assetIds.length)
    const found = assetIds.map((id) => [id, this.#positions.get(`${orgId} ${id}`)] as const)
    return new Map(found.flatMap(([id, at]) => (at === undefined ? [] : [[id, at] as const])))
  }

  async lastSeenOf(orgId: number, assetIds: readonly number[]) {
    const found = await this.locationsOf(orgId, assetIds)
    return new Map(
      [...found].map(([id, locationId]) => [
        id,
        { locationId, at: this.#seenAt.get(`${orgId} ${id}`) ?? '' },
      ]),
    )
  }

  async assetsAt(orgId: number, locationIds: readonly number[], after: number) {
    this.#refuseAway()
    const there = [...this.#positions]
      .map(([key, at]) => ({ org: Number(key.split(' ')[0]), id: Number(key.split(' ')[1]), at }))
      .filter(({ org, id, at }) => org === orgId && id > after && locationIds.includes(at))
      .map(({ id }) => id)
      .toSorted((a, b) => a - b)
    const assetIds = there.slice(0, this.partSize)
    return { assetIds, isLast: assetIds.length < this.partSize }
  }

  /** The assets that are not at their home. */
  readonly misplacedIds = new Set<number>()

  async misplaced(orgId: number, { misplaced }: Misplaced, after: number) {
    this.#refuseAway()
    const there = [...this.#positions.keys()].map((key) => key.split(' ').map(Number))
    const found = there.flatMap(([org, id = 0]) =>
      org === orgId && id > after && this.misplacedIds.has(id) === misplaced ? [id] : [],
    )
    const assetIds = found.toSorted((a, b) => a - b).slice(0, this.partSize)
    return { assetIds, isLast: assetIds.length < this.partSize }
  }

  async place(placed: AssetPlaced): Promise<void> {
    this.#refuseAway()
    this.placed.push(placed)
    this.see(placed.org_id, placed.asset.id, placed.location.id)
  }

  #refuseAway(): void {
    if (this.away) throw new TrackingUnavailable('tracking is away')
  }
}
