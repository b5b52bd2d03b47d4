import { z } from 'zod'
import { findAsset, findLocation } from '../resolve.ts'
import { Instant, limit, period, Place, Thing, withUrl } from '../rows.ts'
import { tool } from '../tool.ts'

export const movements = tool({
  name: 'movements',
  title: 'What moved?',
  description:
    'Lists movements, the newest first: which asset moved when, from which location to which. Of one asset, of one location (to it or from it), or of all.',
  needs: ['listMovements'],
  input: z.strictObject({
    asset_id: z.int().min(1).optional().describe('Only of this asset, or name it by `asset_key`.'),
    asset_key: z.string().optional().describe('External key of the asset.'),
    location_id: z
      .int()
      .min(1)
      .optional()
      .describe('Only to or from this location, or name it by `location_key`.'),
    location_key: z.string().optional().describe('External key of the location.'),
    include_sub_locations: z.boolean().default(true).describe('Of the location.'),
    ...period,
    limit,
    after: z.string().optional().describe('`next_after` of the page before, with the same arguments.'),
  }),
  output: z.object({
    movements: z.array(
      z.object({
        at: Instant,
        asset: Thing,
        from_location: Place,
        to_location: Thing,
        dwell_seconds: z.int().nullable().describe('How long it stayed. Null while it is there.'),
      }),
    ),
    next_after: z.string().nullable().describe('Send it as `after` for the next page. Null on the last one.'),
  }),
  async run({ asset_id, asset_key, location_id, location_key, include_sub_locations, ...sent }, context) {
    const { read, screens } = context
    const isOf = (...names: unknown[]) => names.some((name) => name !== undefined)
    const asset = isOf(asset_id, asset_key)
      ? await findAsset(read, { id: asset_id, key: asset_key })
      : undefined
    const location = isOf(location_id, location_key)
      ? await findLocation(read, { id: location_id, key: location_key })
      : undefined
    const page = await read('listMovements', {
      query: {
        ...sent,
        asset_id: asset?.id,
        location_id: location?.id,
        ...(location && { include_descendants: include_sub_locations }),
      },
    })
    const rows = page.data.map((row) => ({
      at: row.occurred_at,
      asset: withUrl(row.asset, screens.asset),
      from_location: row.from_location && withUrl(row.from_location, screens.location),
      to_location: withUrl(row.to_location, screens.location),
      dwell_seconds: row.dwell_seconds,
    }))
    return { movements: rows, next_after: page.has_more ? page.cursor : null }
  },
})
