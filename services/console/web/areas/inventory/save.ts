import { ApiError, type components } from '@whereabouts/client/client'
import { countText } from '../../parts/table/count-text.ts'
import { SaidError } from '../../parts/load/failure.ts'
import type { PickedLocation } from '../../parts/locations/location-picker.tsx'
import { api } from '../../session/api.ts'
import type { Draft } from './draft.ts'
import { findLocations, type LastLocations } from './last-locations.ts'
import { type Found, lookUpAll, type Match } from '../../parts/load/lookups.ts'
import { type Outcome, outcomeOf } from './moved.ts'
import { type AssetRow, isAsset, rowsOf } from './rows.ts'

type Response = components['schemas']['InventorySaved']

export type Saved = {
  response: Response
  outcome: Outcome
  /** The values of the saved assets. */
  values: readonly string[]
}

export type SaveRequest = {
  draft: Draft
  location: PickedLocation
  found: Found
  onProgress: (text: string) => void
  onFound: (found: Found) => void
}

const NO_ASSETS = {
  title: 'Nothing was saved',
  detail: 'None of the scanned values names an asset.',
}

/** How often a save is repeated without the assets that were deleted or renamed in the meantime. */
const ATTEMPTS = 3

/**
 * Saves the assets of the list. First looks up what was not checked yet. Leaves out what names no asset, and assets
 * that were deleted after they were scanned.
 */
export async function save(request: SaveRequest): Promise<Saved> {
  const { draft } = request
  let found = request.found
  let unchecked = draft.values.filter((value) => !found.has(value))
  for (let attempt = 1; ; attempt += 1) {
    found = new Map([...found, ...(await check(unchecked, request))])
    const rows = rowsOf(draft, found).filter(isAsset)
    if (rows.length === 0) throw new SaidError(NO_ASSETS)
    try {
      return await saveRows(rows, request)
    } catch (error) {
      unchecked = rows.filter(isRefusedBy(error)).flatMap(({ values }) => values)
      if (attempt === ATTEMPTS || unchecked.length === 0) throw error
    }
  }
}

async function check(values: readonly string[], { onProgress, onFound }: SaveRequest): Promise<Found> {
  const found = await lookUpAll(values, (done) =>
    onProgress(`Checking: ${number.format(done)} of ${countText(values.length, 'values')}`),
  )
  onFound(found)
  return found
}

async function saveRows(rows: readonly AssetRow[], { location, onProgress }: SaveRequest): Promise<Saved> {
  const assets = rows.map(({ asset }) => asset)
  const earlier = await readEarlier(assets, onProgress)
  onProgress('Saving')
  const body = {
    asset_identifiers: assets.map(({ external_key }) => external_key),
    location_identifier: location.external_key,
  }
  const response = await api.post('/api/v1/inventory/save', { body })
  return {
    response,
    outcome: outcomeOf(assets, earlier, response.location_id),
    values: rows.flatMap(({ values }) => values),
  }
}

/** Before the save, because it overwrites them. */
const readEarlier = (
  assets: readonly Match[],
  onProgress: SaveRequest['onProgress'],
): Promise<LastLocations> =>
  findLocations(
    assets.map(({ id }) => id),
    (done) =>
      onProgress(
        `Reading earlier locations: ${number.format(done)} of ${countText(assets.length, 'assets')}`,
      ),
  )

const number = new Intl.NumberFormat()

const unresolved = (error: unknown, field: string) =>
  error instanceof ApiError
    ? (error.error?.fields ?? []).filter((each) => each.field === field && each.code === 'fk_not_found')
    : []

/** The keys with which the API found no asset. */
export const refusedKeys = (error: unknown): ReadonlySet<unknown> =>
  new Set(unresolved(error, 'asset_identifiers').map(({ params }) => params?.['value']))

function isRefusedBy(error: unknown): (row: AssetRow) => boolean {
  const keys = refusedKeys(error)
  return ({ asset }) => keys.has(asset.external_key)
}

/** Whether the location was deleted or renamed after it was picked. */
export const isLocationGone = (error: unknown): boolean => unresolved(error, 'location_identifier').length > 0
