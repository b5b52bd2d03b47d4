import { z } from 'zod'
import { Id } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { dataOf } from '../../rules/query.ts'
import type { Route } from '../../route.ts'
import { LocationKey, NaturalKey } from '../../rules/text.ts'

/** One transaction saves this many in about a second. */
export const MAX_SAVED_ASSETS = 10_000

export const InventorySave = z
  .strictObject({
    asset_identifiers: z.array(NaturalKey).min(1).max(MAX_SAVED_ASSETS),
    location_identifier: LocationKey,
  })
  .meta({
    id: 'InventorySave',
    example: { asset_identifiers: ['FORKLIFT-7', 'PALLET-0031'], location_identifier: 'DOCK-1' },
  })
export type InventorySave = z.infer<typeof InventorySave>

export const InventorySaved = z
  .object({
    count: z
      .int()
      .meta({ override: { type: 'integer', minimum: 1 }, description: 'Number of saved assets.' }),
    location_id: Id,
    location_name: z.string(),
    timestamp: WireInstant.meta({ description: 'When the save happened.' }),
  })
  .meta({
    id: 'InventorySaved',
    example: {
      count: 2,
      location_id: 4503599627370513,
      location_name: 'Dock 1',
      timestamp: '2026-11-21T10:00:00.000Z',
    },
  })
export type InventorySaved = z.infer<typeof InventorySaved>

const saveInventory = {
  method: 'POST',
  path: '/inventory/save',
  upstream: 'tracking',
  access: 'scans:write',
  counted: false,
  described: true,
  summary: 'Save the current location of assets',
  description:
    'Name the assets and the location by external key. An asset that is named twice counts once. Saves all assets, ' +
    'or none if a key does not resolve. The save overrides the reads of an asset in the current minute. If an asset ' +
    'was last seen elsewhere, the API sends `asset.moved` at once. Reports and history show the save when the ' +
    'response arrives.',
  body: InventorySave,
  success: { status: 201, schema: dataOf(InventorySaved) },
  errors: ['validation_error', 'bad_request'],
} as const satisfies Route

/** The legacy vocabulary has the same field names here (D1.5). */
export const inventoryRoutes = {
  saveInventory: { ...saveInventory, idempotent: true },
  saveLegacyInventory: { ...saveInventory, vocabulary: 'legacy' },
} as const satisfies Record<string, Route>
