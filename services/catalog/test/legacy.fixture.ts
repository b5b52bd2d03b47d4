import type { AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import { LegacyAssetView } from '@whereabouts/contracts/legacy/assets'
import type { LegacyLocationView } from '@whereabouts/contracts/legacy/locations'
import type { LightMyRequestResponse } from 'fastify'
import { test as base, type Catalog } from './catalog.fixture.ts'

type As = { org?: number }

/** The same service and organization in the legacy vocabulary. */
export type Legacy = {
  call(
    method: Parameters<Catalog['call']>[0],
    path: string,
    body?: unknown,
    as?: As,
  ): Promise<LightMyRequestResponse>
  get(path: string, as?: As): Promise<LightMyRequestResponse>
  post(path: string, body: unknown, as?: As): Promise<LightMyRequestResponse>
  put(path: string, body: unknown, as?: As): Promise<LightMyRequestResponse>
  delete(path: string, as?: As): Promise<LightMyRequestResponse>
  /** The resource, from GET. */
  asset(identifier: string, as?: As): Promise<LegacyAssetView>
  location(identifier: string, as?: As): Promise<LegacyLocationView>
}

export const test = base.extend<{ legacy: Legacy }>({
  legacy: async ({ catalog }, use) => {
    const call: Legacy['call'] = async (method, path, body, as) =>
      catalog.call(method, path, body, { ...as, vocabulary: 'legacy' })
    const read = async <T>(path: string, as?: As) =>
      (await call('GET', path, undefined, as)).json<{ data: T }>().data
    await use({
      call,
      get: (path, as) => call('GET', path, undefined, as),
      post: (path, body, as) => call('POST', path, body, as),
      put: (path, body, as) => call('PUT', path, body, as),
      delete: (path, as) => call('DELETE', path, undefined, as),
      asset: (identifier, as) => read(`/assets/${identifier}`, as),
      location: (identifier, as) => read(`/locations/${identifier}`, as),
    })
  },
})

/** The legacy view of an asset that was never scanned. The legacy vocabulary gets no new fields. */
export function legacyView(view: AssetView) {
  const { id, external_key, tags, ...others } = withoutNulls(view)
  const identifiers = tags.map((tag) => ({
    id: tag.id,
    type: tag.tag_type,
    value: tag.value,
    is_active: true,
  }))
  const renamed = { surrogate_id: id, identifier: external_key, identifiers }
  return LegacyAssetView.parse({ ...others, ...renamed })
}

/** Unset fields are absent (D17.1). */
const withoutNulls = (view: AssetView) =>
  Object.fromEntries(Object.entries(view).filter(([, value]) => value !== null)) as AssetView
