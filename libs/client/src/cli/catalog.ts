import { Option, type Command } from 'commander'
import { unwrap } from '../client.ts'
import type { Asset, AssetFields, Location, LocationFields } from '../upsert.ts'
import { print, write, type Column, wholeNumber } from './output.ts'
import { NOT_FOUND, open, UsageError } from './settings.ts'
import { addSync } from './sync.ts'

type Listing = { q?: string; limit: number; json?: boolean }
type Tag = NonNullable<AssetFields['tags']>[number]
type Changes = {
  name?: string
  description?: string
  tag: Tag[]
  type?: 'asset' | 'person' | 'inventory'
  parent?: string
  json?: boolean
}

const tagsOf = ({ tags }: Asset | Location) =>
  tags.map(({ tag_type, value }) => `${tag_type}:${value}`).join(' ')
const ASSET: Column<Asset>[] = [
  ['KEY', (row) => row.external_key],
  ['NAME', (row) => row.name],
  ['TYPE', (row) => row.type],
  ['TAGS', tagsOf],
]
const LOCATION: Column<Location>[] = [
  ['KEY', (row) => row.external_key],
  ['NAME', (row) => row.name],
  ['PARENT', (row) => row.parent_external_key],
  ['TAGS', tagsOf],
]

/** Assets, locations and their tags, by their keys. */
export function addCatalogCommands(program: Command): void {
  addSync(listing(program.command('assets').description('list assets, by key'))
    .action(async ({ q, limit, json }: Listing) =>
      print(open().rows('/api/v1/assets', { query: { sort: 'external_key', ...(q !== undefined && { q }) } }), ASSET, { limit, ...(json && { json }) })), 'assets')
  addSync(listing(program.command('locations').description('list locations, by key'))
    .action(async ({ q, limit, json }: Listing) =>
      print(open().rows('/api/v1/locations', { query: { sort: 'external_key', ...(q !== undefined && { q }) } }), LOCATION, { limit, ...(json && { json }) })), 'locations')

  const asset = program.command('asset').description('one asset')
  asset.command('get <key>').option('--json', 'for programs').action(async (key: string, { json }: Listing) =>
    print([await assetOf(key)], ASSET, { ...(json && { json }) }))
  changing(asset.command('set <key>').description('create it, or change what is given'))
    .addOption(new Option('--type <type>').choices(['asset', 'person', 'inventory']))
    .action(async (key: string, { json, tag, parent: _parent, ...values }: Changes) => {
      const name = await nameOf('asset', key, values.name)
      said(await open().upsertAsset(key, { ...values, name, ...(tag.length > 0 && { tags: tag }) }), json)
    })
  asset.command('delete <key>').action(async (key: string) => {
    const { id } = await assetOf(key)
    unwrap(await open().api.DELETE('/api/v1/assets/{asset_id}', { params: { path: { asset_id: id } } }))
  })

  const location = program.command('location').description('one location')
  location.command('get <key>').option('--json', 'for programs').action(async (key: string, { json }: Listing) =>
    print([await locationOf(key)], LOCATION, { ...(json && { json }) }))
  changing(location.command('set <key>').description('create it, or change what is given'))
    .option('--parent <key>', 'the location that it is in')
    .action(async (key: string, { json, tag, parent, type: _type, ...values }: Changes) => {
      const name = await nameOf('location', key, values.name)
      const fields: LocationFields = { ...values, name, ...(parent !== undefined && { parent_external_key: parent }), ...(tag.length > 0 && { tags: tag }) }
      said(await open().upsertLocation(key, fields), json)
    })
  location.command('delete <key>').action(async (key: string) => {
    const { id } = await locationOf(key)
    unwrap(await open().api.DELETE('/api/v1/locations/{location_id}', { params: { path: { location_id: id } } }))
  })
} // oxfmt-ignore

const listing = (command: Command) =>
  command
    .option('-q <text>', 'part of a name, key or tag')
    .option('--limit <rows>', 'at most', wholeNumber, 50)
    .option('--json', 'one JSON object per line, for programs')

const changing = (command: Command) =>
  command
    .option('--name <name>', 'needed for a new one')
    .option('--description <text>')
    .option('--tag <type:value>', 'rfid, ble or barcode; can be repeated', addTag, [])
    .option('--json', 'for programs')

function addTag(text: string, tags: Tag[]): Tag[] {
  const [, tag_type, value] = /^(rfid|ble|barcode):(.+)$/s.exec(text) ?? []
  if (tag_type === undefined || value === undefined)
    throw new UsageError(`${text} is not a tag such as rfid:E2801160600002AA17.`)
  return [...tags, { tag_type: tag_type as Tag['tag_type'], value }]
}

function said(
  { outcome, ...row }: (Asset | Location) & { outcome: string },
  json: boolean | undefined,
): void {
  write(json ? `${JSON.stringify({ ...row, outcome })}\n` : `${row.external_key} ${outcome}\n`)
}

/** The asset with this key. Throws `UsageError` if there is none that is valid now. */
export const assetOf = (key: string): Promise<Asset> => existing('asset', key)
export const locationOf = (key: string): Promise<Location> => existing('location', key)

type Kind = 'asset' | 'location'

async function firstOf<T extends Asset | Location>(kind: Kind, key: string): Promise<T | undefined> {
  for await (const row of open().rows(`/api/v1/${kind}s`, { query: { external_key: [key] } })) return row as T
  return undefined
}

async function existing<T extends Asset | Location>(kind: Kind, key: string): Promise<T> {
  const found = await firstOf<T>(kind, key)
  if (found === undefined) throw new UsageError(`There is no ${kind} ${key}.`, NOT_FOUND)
  return found
}

/** The name that is given, or that of the existing one, because an update needs none. */
async function nameOf(kind: Kind, key: string, given: string | undefined): Promise<string> {
  const name = given ?? (await firstOf(kind, key))?.name
  if (name === undefined) throw new UsageError(`${key} is a new ${kind}: give it a --name.`)
  return name
}
