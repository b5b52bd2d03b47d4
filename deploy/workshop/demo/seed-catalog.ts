import type { ImportResource } from '@whereabouts/contracts/resources/catalog/imports'
import { type TagType, tagTypes } from '@whereabouts/contracts/resources/catalog/tags'
import { csvFile } from '@whereabouts/service-kit/http/csv'
import { setTimeout as delay } from 'node:timers/promises'
import type { Api } from './api.ts'
import type { PlannedAsset } from './stock.ts'
import type { PlannedLocation, WarehousePlan } from './warehouse.ts'

/** `token` is a session of the organization. */
export type SeedContext = { api: Api; token: string; onProgress: (text: string) => void }

const PAGE = 200
const POLL_MS = 50
const LOCATION_COLUMNS = ['external_key', 'name', 'parent_external_key'] as const
const ASSET_COLUMNS = ['external_key', 'name', 'type', 'metadata', ...tagTypes] as const

/** Imports missing locations and assets. Returns the keys of the existing locations. */
export async function seedCatalog(context: SeedContext, plan: WarehousePlan): Promise<Set<string>> {
  const places = await seedLocations(context, plan.locations)
  await seedAssets(context, plan.assets)
  return places
}

/** Descendants of a deleted location are not created. */
async function seedLocations(context: SeedContext, planned: PlannedLocation[]): Promise<Set<string>> {
  const { api, token } = context
  const rows = await listAll((query) => api('listLocations', { token, query }))
  const known = new Set(rows.map((row) => row.external_key))
  const live = new Set(rows.filter((row) => row.deleted_at === null).map((row) => row.external_key))
  const missing: PlannedLocation[] = []
  for (const location of planned) {
    if (known.has(location.key) || (location.parentKey !== null && !live.has(location.parentKey))) continue
    missing.push(location)
    live.add(location.key)
  }
  const cells = missing.map(({ key, name, parentKey }) => ({
    external_key: key,
    name,
    parent_external_key: parentKey,
  }))
  await importRows(context, 'locations', csvFile(LOCATION_COLUMNS, cells), missing.length)
  return live
}

async function seedAssets(context: SeedContext, planned: PlannedAsset[]): Promise<void> {
  const { api, token } = context
  const rows = await listAll((query) => api('listAssets', { token, query }))
  const known = new Set(rows.map((row) => row.external_key))
  const missing = planned.filter((asset) => !known.has(asset.key)).map(assetCells)
  await importRows(context, 'assets', csvFile(ASSET_COLUMNS, missing), missing.length)
}

function assetCells({ key, name, type, metadata, tags }: PlannedAsset) {
  const valuesOf = (wanted: TagType) => tags.filter((tag) => tag.type === wanted).map(({ value }) => value)
  const values = tagTypes.map((tagType) => [tagType, valuesOf(tagType).join('|')])
  const cells = { external_key: key, name, type, metadata: JSON.stringify(metadata) }
  return { ...cells, ...(Object.fromEntries(values) as Record<TagType, string>) }
}

/** Resolves once every row is done. A row may fail: another object got its key or its tag in the meantime. */
async function importRows(context: SeedContext, resource: ImportResource, csv: string, rows: number) {
  if (rows === 0) return
  const { api, token, onProgress } = context
  const file = { mediaType: 'text/csv', text: csv } as const
  let { data } = await api('createImport', { token, query: { resource }, file })
  onProgress(`${resource} 0/${rows}`)
  while (data.finished_at === null) {
    await delay(POLL_MS)
    ;({ data } = await api('getImport', { token, params: { import_id: data.id } }))
  }
  if (data.state !== 'done') throw new Error(`the import of the demo's ${resource} ended as ${data.state}`)
  onProgress(`${resource} ${rows}/${rows}`)
}

type Row = { external_key: string; deleted_at: string | null }
type List = (query: Record<string, string>) => Promise<{ data: Row[]; total_count: number }>

/** With deleted rows: an object that a user deleted must not come back at the next start. */
async function listAll(list: List, offset = 0): Promise<Row[]> {
  const query = { include_deleted: 'true', limit: String(PAGE), offset: String(offset) }
  const { data } = await list(query)
  return data.length < PAGE ? data : [...data, ...(await listAll(list, offset + PAGE))]
}
