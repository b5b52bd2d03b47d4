import type { LocationView } from '@whereabouts/contracts/locations'
import { type Api, ApiError } from './api.ts'
import { forEachBounded } from './bounded.ts'
import type { PlannedAsset, PlannedLocation, WarehousePlan } from './warehouse.ts'

export type SeedContext = { api: Api; token: string; onProgress: (text: string) => void }

/** Enough for two cores; more would wait in the database pool. */
const AT_ONCE = 8
const PAGE = 200

/** Creates missing locations and assets. Returns the keys of the existing locations. */
export async function seedCatalog(context: SeedContext, plan: WarehousePlan): Promise<Set<string>> {
  const places = await seedLocations(context, plan.locations)
  await seedAssets(context, plan.assets)
  return places
}

async function seedLocations(context: SeedContext, planned: PlannedLocation[]): Promise<Set<string>> {
  const { api, token, onProgress } = context
  const rows = await listAll((query) => api('listLocations', { token, query }))
  const known = new Set(rows.map((row) => row.external_key))
  const live = new Set(rows.filter(isLive).map((row) => row.external_key))
  const missing = planned.filter((location) => !known.has(location.key))
  if (missing.length > 0) onProgress(`locations ${planned.length - missing.length}/${planned.length}`)
  await createLevel(context, missing, live)
  if (missing.length > 0) onProgress(`locations ${planned.length}/${planned.length}`)
  return live
}

const isLive = (row: Pick<LocationView, 'deleted_at'>) => row.deleted_at === null

/** Level by level, because a location names its parent. Descendants of a deleted location are not created. */
async function createLevel(
  context: SeedContext,
  missing: PlannedLocation[],
  live: Set<string>,
): Promise<void> {
  const ready = missing.filter(({ parentKey }) => parentKey === null || live.has(parentKey))
  if (ready.length === 0) return
  await forEachBounded(ready, AT_ONCE, (location) => createLocation(context, location))
  for (const { key } of ready) live.add(key)
  await createLevel(
    context,
    missing.filter((location) => !ready.includes(location)),
    live,
  )
}

async function createLocation({ api, token }: SeedContext, { key, name, parentKey }: PlannedLocation) {
  const body = { external_key: key, name, parent_external_key: parentKey }
  await unlessTaken(() => api('createLocation', { token, body }))
}

async function seedAssets(context: SeedContext, planned: PlannedAsset[]): Promise<void> {
  const { api, token, onProgress } = context
  const rows = await listAll((query) => api('listAssets', { token, query }))
  const known = new Set(rows.map((row) => row.external_key))
  const missing = planned.filter((asset) => !known.has(asset.key))
  let present = planned.length - missing.length
  await forEachBounded(missing, AT_ONCE, async (asset) => {
    await createAsset(context, asset)
    present += 1
    if (present % 60 === 0 || present === planned.length) onProgress(`assets ${present}/${planned.length}`)
  })
}

async function createAsset({ api, token }: SeedContext, { key, name, type, tags, metadata }: PlannedAsset) {
  const wireTags = tags.map((tag) => ({ tag_type: tag.type, value: tag.value }))
  const body = { external_key: key, name, type, metadata, tags: wireTags }
  await unlessTaken(() => api('createAsset', { token, body }))
}

/** A conflict means that it exists: the first response was lost, or another object was renamed to its key. */
async function unlessTaken(create: () => Promise<unknown>): Promise<void> {
  try {
    await create()
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error
  }
}

type Row = { external_key: string; deleted_at: string | null }
type List = (query: Record<string, string>) => Promise<{ data: Row[]; total_count: number }>

/** With deleted rows: an object that a user deleted must not come back at the next start. */
async function listAll(list: List, offset = 0): Promise<Row[]> {
  const query = { include_deleted: 'true', limit: String(PAGE), offset: String(offset) }
  const { data } = await list(query)
  return data.length < PAGE ? data : [...data, ...(await listAll(list, offset + PAGE))]
}
