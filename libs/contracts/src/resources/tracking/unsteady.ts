import { z } from 'zod'
import { Id } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { MovedThing } from './movements.ts'
import { openEnum } from '../../rules/open-enum.ts'
import { PlacementSettings } from './placement.ts'
import { listOf, page } from '../../rules/query.ts'
import type { Route } from '../../route.ts'

export const unsteadyReasons = ['flapping', 'waiting'] as const

/** An asset whose position is not to be relied on, and the setting that would have held or carried it (D18.8). */
export const UnsteadyRow = z
  .object({
    asset: z.object({ id: Id, external_key: z.string(), name: z.string() }).meta({
      id: 'UnsteadyAsset',
      example: { id: 4503599627370497, external_key: 'FORKLIFT-7', name: 'Forklift 7' },
    }),
    reason: openEnum(
      unsteadyReasons,
      'Went back and forth between two places, or was last read at another place than the one it is shown at.',
    ),
    locations: z.array(MovedThing).length(2),
    movements: z.int().meta({ override: { type: 'integer', minimum: 0 } }),
    last_at: WireInstant,
    setting: PlacementSettings.partial().meta({
      id: 'SuggestedSettings',
      example: { margin_db: 6, exit_delay_seconds: 120 },
    }),
  })
  .meta({
    id: 'UnsteadyAssetRow',
    example: {
      asset: { id: 4503599627370497, external_key: 'FORKLIFT-7', name: 'Forklift 7' },
      reason: 'flapping',
      locations: [
        { id: 4503599627370513, external_key: 'DOCK-1', name: 'Dock 1' },
        { id: 4503599627370529, external_key: 'SHELF-2', name: 'Shelf 2' },
      ],
      movements: 12,
      last_at: '2026-11-21T08:30:00.000Z',
      setting: { margin_db: 6, exit_delay_seconds: 120 },
    },
  })
export type UnsteadyRow = z.infer<typeof UnsteadyRow>

export const unsteadyRoutes = {
  listUnsteadyAssets: {
    method: 'GET',
    path: '/reports/unsteady',
    upstream: 'tracking',
    access: 'scans:read',
    counted: true,
    described: true,
    summary: 'List assets whose place is unsteady',
    description:
      'Returns assets that went back and forth between two places at least five times within ten minutes in the last ' +
      '24 hours (`flapping`), and assets that were last read at another place than the one they are shown at, more ' +
      'than ten minutes ago (`waiting`). The newest are first. `setting` has the values of `PATCH ' +
      '/orgs/{org_id}/placement` that would have prevented it.',
    query: z.strictObject(page),
    hasFixedOrder: true,
    success: { status: 200, schema: listOf(UnsteadyRow) },
    errors: ['validation_error'],
  },
} as const satisfies Record<string, Route>
