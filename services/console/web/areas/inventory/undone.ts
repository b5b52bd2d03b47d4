import { countText } from '../../parts/table/count-text.ts'
import type { LastLocations } from './last-locations.ts'
import type { SavedRow } from './moved.ts'

export type Undone = {
  /** How many are back where they were. */
  back: number
  /** How many moved after the save, or cannot go back: the asset or its earlier location is deleted. */
  left: number
}

/** What can go back, by the key of its earlier location. `locationId`: where the save put it. */
export function backByLocation(
  moved: readonly SavedRow[],
  now: LastLocations,
  locationId: number,
): ReadonlyMap<string, readonly SavedRow[]> {
  const rows = moved.filter(({ asset, from }) => from?.key && now.get(asset.id)?.id === locationId)
  return Map.groupBy(rows, ({ from }) => from?.key ?? '')
}

export const undoneText = ({ back, left }: Undone): string =>
  [
    `${countText(back, 'assets are', 'asset is')} back where ${back === 1 ? 'it was' : 'they were'}.`,
    ...(left > 0
      ? [
          `${countText(left, 'assets that moved or were', 'asset that moved or was')} deleted meanwhile ${left === 1 ? 'was' : 'were'} left alone.`,
        ]
      : []),
  ].join(' ')
