/** The homes of assets (D21.1), of those alone that have one. */
export class AssetHomes {
  readonly #orgs = new Map<number, { homes: Map<number, number>; assets: Map<number, number> }>()

  set(orgId: number, assetId: number, home: number | null): void {
    const org = this.#orgs.get(orgId) ?? { homes: new Map(), assets: new Map() }
    const before = org.homes.get(assetId) ?? null
    if (before === home) return
    this.#orgs.set(orgId, org)
    if (before !== null) this.#count(org.assets, before, -1)
    if (home === null) org.homes.delete(assetId)
    else {
      org.homes.set(assetId, home)
      this.#count(org.assets, home, 1)
    }
    if (org.homes.size === 0) this.#orgs.delete(orgId)
  }

  #count(assets: Map<number, number>, home: number, by: number): void {
    const count = (assets.get(home) ?? 0) + by
    if (count === 0) assets.delete(home)
    else assets.set(home, count)
  }

  /** Null if the asset has none, or is unknown. */
  homeOf(orgId: number, assetId: number): number | null {
    return this.#orgs.get(orgId)?.homes.get(assetId) ?? null
  }

  /** Each home of an asset, once. */
  homesOf(orgId: number): number[] {
    return [...(this.#orgs.get(orgId)?.assets.keys() ?? [])]
  }

  clear(): void {
    this.#orgs.clear()
  }
}
