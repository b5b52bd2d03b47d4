/** The last known location of an asset: its newest history row. */
export type Position = {
  orgId: number
  assetId: number
  /** Minutes since 1970. */
  minute: number
  observedAtMs: number
  locationId: number | null
  /** First row of the dwell, in milliseconds since 1970; null without a location. */
  dwellStartedAtMs: number | null
}

export type AssetKey = { orgId: number; assetId: number }

export const byAsset = (positions: readonly Position[]): Map<number, Position> =>
  new Map(positions.map((position) => [position.assetId, position]))
