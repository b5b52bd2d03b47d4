import { z } from 'zod'
import { findAsset, findLocation, isValidNow, reference } from '../resolve.ts'
import {
  Instant,
  MaybeInstant,
  paged,
  pagedOf,
  paging,
  period,
  Place,
  placeOf,
  Thing,
  withUrl,
} from '../rows.ts'
import { tool } from '../tool.ts'

const stay = {
  location: Place,
  last_seen: MaybeInstant.describe('When it was last seen. A position is as old as this.'),
  at_location_since: MaybeInstant,
  dwell_seconds: z.int().nullable().describe('From `at_location_since` to `last_seen`.'),
}
const NOWHERE = { location: null, last_seen: null, at_location_since: null, dwell_seconds: null }

const STATES = ['seen', 'not_seen', 'not_valid', 'deleted'] as const

export const whereIs = tool({
  name: 'where_is',
  title: 'Where is it?',
  description:
    'Says where one asset is, or was at a time: the location, when it was last seen, and since when it is there. `last_seen` may be long ago: then say so.',
  needs: ['listAssets', 'listAssetLocations'],
  input: z.strictObject({
    ...reference('asset'),
    at: z
      .string()
      .optional()
      .describe('RFC 3339 timestamp with an offset: where it was then. Without it: now.'),
  }),
  output: z.object({
    asset: Thing,
    state: z
      .enum(STATES)
      .describe(
        '`not_seen`: no scan until then. `not_valid`: outside of its validity, so only its history tells.',
      ),
    ...stay,
  }),
  async run({ at, ...sent }, { read, screens }) {
    const found = await findAsset(read, sent)
    const asset = withUrl(found, screens.asset)
    if (found.deleted_at !== null) return { asset, state: 'deleted' as const, ...NOWHERE }
    const query = { asset_id: found.id, at, expand: 'location' }
    const [row] = (await read('listAssetLocations', { query })).data
    if (row) return { asset, state: 'seen' as const, ...stayOf(row, screens) }
    const isHidden = at === undefined && !isValidNow(found)
    return { asset, state: isHidden ? ('not_valid' as const) : ('not_seen' as const), ...NOWHERE }
  },
})

type Row = Parameters<typeof placeOf>[0] & {
  asset_last_seen: string
  dwell_started_at: string | null
  dwell_seconds: number | null
}
const stayOf = (row: Row, screens: Parameters<typeof placeOf>[1]) => ({
  location: placeOf(row, screens),
  last_seen: row.asset_last_seen,
  at_location_since: row.dwell_started_at,
  dwell_seconds: row.dwell_seconds,
})

export const contentOfLocation = tool({
  name: 'content_of_location',
  title: 'What is in a location?',
  description:
    'Lists the assets that were last seen in a location, by default with its sub-locations, the last seen first.',
  needs: ['listLocations', 'listAssetLocations'],
  input: z.strictObject({
    ...reference('location'),
    include_sub_locations: z.boolean().default(true),
    text: z.string().optional().describe('Only assets with this text in name, external key or tags.'),
    ...paging,
  }),
  output: z.object({ location: Thing, assets: z.array(z.object({ asset: Thing, ...stay })), ...paged }),
  async run({ include_sub_locations, text, limit, offset, ...sent }, { read, screens }) {
    const location = await findLocation(read, sent)
    const page = await read('listAssetLocations', {
      query: {
        location_id: location.id,
        include_descendants: include_sub_locations,
        q: text,
        expand: 'asset,location',
        limit,
        offset,
      },
    })
    const assets = page.data.map((row) => ({
      asset: withUrl(
        row.asset ?? { id: row.asset_id, external_key: row.asset_external_key, name: null },
        screens.asset,
      ),
      ...stayOf(row, screens),
    }))
    return { location: withUrl(location, screens.location), assets, ...pagedOf(page) }
  },
})

export const history = tool({
  name: 'history',
  title: 'Where was it?',
  description: 'Lists where one asset was seen, the newest first: one row per minute in which it was seen.',
  needs: ['listAssets', 'listAssetHistory'],
  input: z.strictObject({
    ...reference('asset'),
    ...period,
    ...paging,
  }),
  output: z.object({
    asset: Thing,
    seen: z.array(z.object({ at: Instant, location: Place })),
    ...paged,
  }),
  async run({ from, to, limit, offset, ...sent }, { read, screens }) {
    const asset = await findAsset(read, sent)
    const page = await read('listAssetHistory', {
      params: { asset_id: asset.id },
      query: { from, to, expand: 'location', limit, offset },
    })
    const seen = page.data.map((row) => ({ at: row.event_observed_at, location: placeOf(row, screens) }))
    return { asset: withUrl(asset, screens.asset), seen, ...pagedOf(page) }
  },
})
