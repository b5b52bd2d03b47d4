import type { Evidence } from './evidence.ts'

/** The last known location of an asset: its newest history row, and what reads said beyond it. */
export type Position = {
  orgId: number
  assetId: number
  /** Minutes since 1970. */
  minute: number
  observedAtMs: number
  locationId: number | null
  /** First row of the dwell, in milliseconds since 1970; null without a location. */
  dwellStartedAtMs: number | null
  /** Null for nearly all assets: nothing but the row. */
  evidence: Evidence | null
}

export type AssetKey = { orgId: number; assetId: number }

export const byAsset = <T extends { assetId: number }>(all: readonly T[]): Map<number, T> =>
  new Map(all.map((one) => [one.assetId, one]))

/** Whether the newest row is a movement: the asset came with it to its location. */
export const isMovement = ({ minute, dwellStartedAtMs }: Position): boolean =>
  dwellStartedAtMs !== null && Math.floor(dwellStartedAtMs / 60_000) === minute
