import { z } from 'zod'
import { assetTypes } from '../catalog/assets.ts'
import { WireInstant } from '../../rules/instant.ts'
import { dataOf } from '../../rules/query.ts'
import type { Route } from '../../route.ts'

/** The picture has at most these: of locations the upper levels first, of assets those seen last. Numbers count all. */
export const floorLimits = { locations: 10_000, assets: 5_000 } as const

const Integers = z.array(z.int())
const Texts = z.array(z.string())
const Count = z.int().meta({ override: { type: 'integer', minimum: 0 } })

/**
 * Where everything is, in columns: values of the same index belong together. `parent` is an index of `locations`, -1 for
 * none, and comes before its sub-locations. `here` counts the assets at the location itself, `inside` also those at its live
 * sub-locations, as `GET /reports/occupancy` does. `location` of an asset is an index of `locations`, -1 for one that is not
 * among them. `since` and `seen` are seconds since 1970: when it arrived, and when it was seen last.
 */
export const Floor = z
  .object({
    read_at: WireInstant,
    locations: z.object({
      id: Integers,
      external_key: Texts,
      name: Texts,
      parent: Integers,
      here: Integers,
      inside: Integers,
    }),
    assets: z.object({
      id: Integers,
      external_key: Texts,
      name: Texts,
      type: z.array(z.enum(assetTypes)),
      location: Integers,
      since: Integers,
      seen: Integers,
    }),
    total_locations: Count,
    total_assets: Count.meta({ description: 'Assets with a location.' }),
  })
  .meta({ id: 'Floor' })
export type Floor = z.infer<typeof Floor>

export const floorRoutes = {
  getFloor: {
    method: 'GET',
    path: '/floor',
    upstream: 'tracking',
    access: 'session',
    counted: false,
    described: false,
    summary: 'Get all locations with the number of their assets, and the assets that were seen last',
    description:
      'The assets are those of `GET /reports/asset-locations` that have a location, at most 5 000, seen last first. The ' +
      'locations are those of `GET /locations`, at most 10 000, those without a parent first.',
    success: { status: 200, schema: dataOf(Floor) },
    errors: [],
  },
} as const satisfies Record<string, Route>
