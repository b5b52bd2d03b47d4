import { ApiError, unwrap, type Client, type components } from './client.ts'

type Schemas = components['schemas']
export type Asset = Schemas['Asset']
export type Location = Schemas['Location']
type Tag = NonNullable<Schemas['AssetCreate']['tags']>[number]
type FieldsOf<Body> = Omit<Body, 'external_key' | 'tags'> & { tags?: Tag[] }
export type AssetFields = FieldsOf<Schemas['AssetCreate']>
export type LocationFields = FieldsOf<Schemas['LocationCreate']>

/** `outcome`: what was necessary. */
export type Upserted<T> = T & { outcome: 'created' | 'updated' | 'unchanged' }

/** How assets, or locations, are created, read and changed. */
type Kind<T, Fields> = {
  name: 'asset' | 'location'
  create(body: Fields & { external_key: string }): Promise<T>
  get(id: number): Promise<T>
  update(id: number, changes: Omit<Partial<Fields>, 'tags'>): Promise<T>
  attach(id: number, tag: Tag): Promise<unknown>
}

/**
 * Creates first, because creating is not counted against the rate of a key, and reads a 409 as "exists". Only what differs is
 * sent, because a PATCH without a change counts as well and moves `updated_at`.
 */
async function upsert<T extends Asset | Location, Fields extends { tags?: Tag[] }>(
  kind: Kind<T, Fields>,
  externalKey: string,
  fields: Fields,
): Promise<Upserted<T>> {
  let stored: T
  try {
    return { ...(await kind.create({ ...fields, external_key: externalKey })), outcome: 'created' }
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error
    const owner = error.error?.conflict
    if (owner?.resource !== kind.name || owner.external_key !== externalKey) throw error // something else has a tag
    stored = await kind.get(owner.id)
  }
  const { tags = [], ...values } = fields
  const changes = Object.entries(values).filter(
    ([name, value]) => value !== undefined && !isEqual(stored[name as keyof T], value),
  )
  const missing = tags.filter((tag) => !stored.tags.some((has) => isSameTag(has, tag)))
  if (changes.length === 0 && missing.length === 0) return { ...stored, outcome: 'unchanged' }
  if (changes.length > 0)
    stored = await kind.update(stored.id, Object.fromEntries(changes) as Partial<Fields>)
  for (const tag of missing) await kind.attach(stored.id, tag)
  return { ...(missing.length > 0 ? await kind.get(stored.id) : stored), outcome: 'updated' }
}

const isSameTag = (a: { tag_type: string; value: string }, b: Tag) =>
  a.tag_type === b.tag_type && a.value === b.value

/** JSON values with members in any order. Instants are equal in any notation. */
function isEqual(stored: unknown, wanted: unknown): boolean {
  if (stored === wanted) return true
  if (typeof stored === 'string' && typeof wanted === 'string')
    return INSTANT.test(stored) && INSTANT.test(wanted) && Date.parse(stored) === Date.parse(wanted)
  if (typeof stored !== 'object' || typeof wanted !== 'object' || !stored || !wanted) return false
  const [a, b] = [Object.entries(stored), new Map(Object.entries(wanted))]
  return a.length === b.size && a.every(([name, value]) => b.has(name) && isEqual(value, b.get(name)))
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

export const upsertAsset = (
  api: Client,
  externalKey: string,
  fields: AssetFields,
  signal?: AbortSignal,
): Promise<Upserted<Asset>> =>
  upsert<Asset, AssetFields>(
    {
      name: 'asset',
      create: async (body) =>
        unwrap(await api.POST('/api/v1/assets', { body, ...(signal && { signal }) })).data,
      get: async (id) =>
        unwrap(
          await api.GET('/api/v1/assets/{asset_id}', {
            params: { path: { asset_id: id } },
            ...(signal && { signal }),
          }),
        ).data,
      update: async (id, body) =>
        unwrap(
          await api.PATCH('/api/v1/assets/{asset_id}', {
            params: { path: { asset_id: id } },
            ...(signal && { signal }),
            body,
          }),
        ).data,
      attach: async (id, body) =>
        unwrap(
          await api.POST('/api/v1/assets/{asset_id}/tags', {
            params: { path: { asset_id: id } },
            ...(signal && { signal }),
            body,
          }),
        ),
    },
    externalKey,
    fields,
  )

export const upsertLocation = (
  api: Client,
  externalKey: string,
  fields: LocationFields,
  signal?: AbortSignal,
): Promise<Upserted<Location>> =>
  upsert<Location, LocationFields>(
    {
      name: 'location',
      create: async (body) =>
        unwrap(await api.POST('/api/v1/locations', { body, ...(signal && { signal }) })).data,
      get: async (id) =>
        unwrap(
          await api.GET('/api/v1/locations/{location_id}', {
            params: { path: { location_id: id } },
            ...(signal && { signal }),
          }),
        ).data,
      update: async (id, body) =>
        unwrap(
          await api.PATCH('/api/v1/locations/{location_id}', {
            params: { path: { location_id: id } },
            ...(signal && { signal }),
            body,
          }),
        ).data,
      attach: async (id, body) =>
        unwrap(
          await api.POST('/api/v1/locations/{location_id}/tags', {
            params: { path: { location_id: id } },
            ...(signal && { signal }),
            body,
          }),
        ),
    },
    externalKey,
    fields,
  )
