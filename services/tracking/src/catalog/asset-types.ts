import { assetTypes, type AssetType } from '@whereabouts/contracts/resources/catalog/assets'

/** The assets of each organization by their type. */
export class AssetTypes {
  readonly #ids = new Map<number, Map<string, Set<number>>>()

  set(orgId: number, assetId: number, type: string): void {
    const byType = this.#ids.get(orgId) ?? new Map<string, Set<number>>()
    this.#ids.set(orgId, byType)
    for (const [other, ids] of byType) if (other !== type) ids.delete(assetId)
    const ids = byType.get(type) ?? new Set()
    byType.set(type, ids.add(assetId))
  }

  /** Undefined while no state of the asset has arrived. */
  find(orgId: number, assetId: number): AssetType | undefined {
    const byType = this.#ids.get(orgId)
    return assetTypes.find((type) => byType?.get(type)?.has(assetId))
  }

  /** The default while the state of the asset has not arrived. */
  typeOf(orgId: number, assetId: number): AssetType {
    return this.find(orgId, assetId) ?? 'asset'
  }

  isOneOf(orgId: number, assetId: number, types: readonly string[]): boolean {
    return types.some((type) => this.#ids.get(orgId)?.get(type)?.has(assetId) === true)
  }

  /** All assets of these types. */
  idsOf(orgId: number, types: readonly string[]): number[] {
    return [...new Set(types)].flatMap((type) => Array.from(this.#ids.get(orgId)?.get(type) ?? []))
  }

  clear(): void {
    this.#ids.clear()
  }
}
