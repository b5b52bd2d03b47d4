import type { TagView } from '@whereabouts/contracts/resources/catalog/tags'
import { z } from 'zod'
import { ToolError } from '../read.ts'
import { isValidNow, tag } from '../resolve.ts'
import { paged, pagedOf, paging, Thing, withUrl } from '../rows.ts'
import { tool } from '../tool.ts'

/** A pallet may have 200 tags. */
const MOST_TAGS = 5

const found = {
  ...Thing.shape,
  is_active: z.boolean(),
  is_valid_now: z.boolean().describe('Whether now lies in its validity. Reports show only such assets.'),
  tags: z.array(z.object({ tag_type: z.string(), value: z.string() })).describe('The first five.'),
  tag_count: z.int(),
}
const Assets = z.object({ ...found, type: z.string() })
const Locations = z.object({ ...found, parent_external_key: z.string().nullable() })

const wanted = z.strictObject({
  text: z
    .string()
    .optional()
    .describe('Searches name, external key, description and tags. Send one of `text`, `key` and `tag`.'),
  key: z.string().optional().describe('The exact external key.'),
  tag: tag.optional(),
  ...paging,
})

function queryOf({ text, key, tag: value, limit, offset }: z.output<typeof wanted>) {
  if ([text, key, value].filter((one) => one !== undefined).length > 1)
    throw new ToolError('Send one of text, key and tag.')
  return { query: { q: text, external_key: key, tag: value, window: 'any', limit, offset } }
}

type Found = Parameters<typeof isValidNow>[0] & {
  id: number
  external_key: string
  name: string
  is_active: boolean
  tags: TagView[]
}
const foundOf = (row: Found, screen: (id: number) => string) => ({
  ...withUrl(row, screen),
  is_active: row.is_active,
  is_valid_now: isValidNow(row),
  tags: row.tags.slice(0, MOST_TAGS).map(({ tag_type, value }) => ({ tag_type, value })),
  tag_count: row.tags.length,
})

export const findAssets = tool({
  name: 'find_assets',
  title: 'Find assets',
  description:
    'Finds assets by a text, by their external key or by a tag; without any of these, lists all. Says what there is, not where it is: use where_is for that.',
  needs: ['listAssets'],
  input: wanted,
  output: z.object({ assets: z.array(Assets), ...paged }),
  async run(sent, { read, screens }) {
    const page = await read('listAssets', queryOf(sent))
    const assets = page.data.map((row) => ({ ...foundOf(row, screens.asset), type: row.type }))
    return { assets, ...pagedOf(page) }
  },
})

export const findLocations = tool({
  name: 'find_locations',
  title: 'Find locations',
  description:
    'Finds locations (halls, rooms, shelves, docks) by a text, by their external key or by a tag; without any of these, lists all.',
  needs: ['listLocations'],
  input: wanted,
  output: z.object({ locations: z.array(Locations), ...paged }),
  async run(sent, { read, screens }) {
    const page = await read('listLocations', queryOf(sent))
    const locations = page.data.map((row) => ({
      ...foundOf(row, screens.location),
      parent_external_key: row.parent_external_key,
    }))
    return { locations, ...pagedOf(page) }
  },
})
