import type { AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import type { LocationView } from '@whereabouts/contracts/resources/catalog/locations'
import { z } from 'zod'
import { ToolError, type Read } from './read.ts'

export const tag = z.string().describe('`<type>:<value>`, such as `rfid:E28011606000020A1B2C3D4E`.')

/** How a tool names one asset or one location. */
export const reference = (what: string) => ({
  id: z.int().min(1).optional().describe(`Id of the ${what}. Send one of \`id\`, \`key\` and \`tag\`.`),
  key: z.string().optional().describe(`External key of the ${what}, such as FORKLIFT-7.`),
  tag: tag.optional(),
})
type Reference = { id?: number | undefined; key?: string | undefined; tag?: string | undefined }

/** The asset that a reference names, also outside of its validity; by its id, also if it is deleted. */
export const findAsset = (read: Read, sent: Reference): Promise<AssetView> =>
  findOne('asset', sent, async (query) => (await read('listAssets', { query })).data)

/** The location that a reference names, likewise. */
export const findLocation = (read: Read, sent: Reference): Promise<LocationView> =>
  findOne('location', sent, async (query) => (await read('listLocations', { query })).data)

type Query = Record<string, string | number | boolean | undefined>

async function findOne<Row>(
  what: string,
  { id, key, tag: value }: Reference,
  find: (query: Query) => Promise<Row[]>,
): Promise<Row> {
  if ([id, key, value].filter((one) => one !== undefined).length !== 1)
    throw new ToolError(`Name one ${what}, by its id, by its external key or by a tag.`)
  const rows = await find({
    id,
    external_key: key,
    tag: value,
    window: 'any',
    include_deleted: id !== undefined,
    limit: 2,
  })
  const [row] = rows
  if (!row) throw new ToolError(`There is no such ${what}. Search for it by a part of its name.`)
  if (rows.length > 1) throw new ToolError(`Several ${what}s match. Search for them, and send the id of one.`)
  return row
}

/** Whether now lies in the validity of an asset or a location. Reports show only such ones. */
export function isValidNow({
  valid_from,
  valid_to,
}: {
  valid_from: string
  valid_to: string | null
}): boolean {
  const now = Date.now()
  return Date.parse(valid_from) <= now && (valid_to === null || Date.parse(valid_to) > now)
}
