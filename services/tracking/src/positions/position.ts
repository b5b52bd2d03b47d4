/** The last known location of an asset: its newest history row. */
export type Position = {
  orgId: number
  assetId: number
  /** Since 1970. */
  minute: number
  observedAtMs: number
  locationId: number | null
  /** First row of the unbroken stay at the location; null without a location. */
  dwellStartedAtMs: number | null
}

export type AssetKey = { orgId: number; assetId: number }
