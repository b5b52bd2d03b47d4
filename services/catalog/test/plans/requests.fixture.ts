import { createHash } from 'node:crypto'
import type { OperationsOf } from '@whereabouts/contracts/routes'
import { ORG_ID } from './populated.fixture.ts'

export type Request = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  body?: unknown
  vocabulary?: 'legacy'
  mediaType?: string
  headers?: Record<string, string>
}
type Operation = OperationsOf<'catalog'>

const get = (...paths: string[]): Request[] => paths.map((path) => ({ method: 'GET', path }))
const legacy = (...some: Request[]): Request[] =>
  some.map(({ method, path, body }) => ({ method, path, body, vocabulary: 'legacy' }))

/** Of the tag of an owner, as `populate` makes it. */
const tagValue = (owner: number) => createHash('md5').update(String(owner)).digest('hex')

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30"/>'

/** Requests to the populated organization: every operation, and lists with every filter and order. */
export function requests(): Record<Exclude<Operation, ImportOperation>, Request[]> {
  const [location, asset] = [(i: number) => ORG_ID * 10_000 + i, (i: number) => ORG_ID * 10_000 + 1_000 + i]
  const tag = (owner: number) => owner + 5_000
  const [A, L] = [asset(1), location(150)]
  const keys = Array.from({ length: 100 }, (_, i) => `external_key=ASSET-${String(i).padStart(4, '0')}`).join(
    '&',
  )
  const searches = ['q=serial 1a', 'q=nothing like it', 'q=4F']
  const orders = ['name', '-created_at', 'updated_at', '-external_key']
  const selected = (id: number) => [`id=${id}`, `tag=rfid:${tagValue(id)}&tag=ble:none`]
  const filters = [
    '',
    'window=any',
    'is_active=false',
    'include_deleted=true',
    'offset=250',
    'offset=99999',
    ...searches,
  ]
  const list = (path: string, more: string[]) =>
    get(
      ...[...filters, ...orders.map((o) => `sort=${o}`), ...more].map((query) =>
        encodeURI(`${path}?${query}`),
      ),
    )
  const zone = { location_id: L, points: [[0, 0], [9, 0], [9, 9]] } // oxfmt-ignore
  const created = { name: 'New', tags: [{ tag_type: 'rfid', value: 'NEW' }] }
  return {
    listAssets: list('/assets', [
      keys,
      'type=person',
      'metadata.serial=s7',
      'metadata.serial=s7&metadata.n=5&q=fork&tag=rfid:NEW',
      ...selected(A),
    ]),
    getAsset: get(`/assets/${A}`),
    createAsset: [
      { method: 'POST', path: '/assets', body: created, headers: { 'idempotency-key': 'once' } },
      { method: 'POST', path: '/assets', body: { name: 'New', external_key: 'NEW-1' } },
    ],
    saveAssetBatch: [
      {
        method: 'POST',
        path: '/assets/batch',
        body: {
          items: [
            { ...created, external_key: 'NEW-2' },
            { external_key: 'ASSET-0007', name: 'Changed', tags: [] },
          ],
        },
      },
      {
        method: 'POST',
        path: '/assets/batch?dry_run=true',
        body: { items: [{ external_key: 'ASSET-0008', name: 'Changed' }] },
      },
    ],
    updateAsset: [{ method: 'PATCH', path: `/assets/${A}`, body: { name: 'Renamed' } }],
    renameAsset: [{ method: 'POST', path: `/assets/${A}/rename`, body: { external_key: 'OTHER' } }],
    deleteAsset: [{ method: 'DELETE', path: `/assets/${asset(3)}` }],
    previewAssetRestore: get(`/assets/${asset(3)}/restore`),
    restoreAsset: [{ method: 'POST', path: `/assets/${asset(3)}/restore`, body: {} }],
    addAssetTag: [{ method: 'POST', path: `/assets/${A}/tags`, body: { tag_type: 'ble', value: 'A' } }],
    removeAssetTag: [{ method: 'DELETE', path: `/assets/${A}/tags/${tag(A)}` }],
    listLocations: list('/locations', [
      'external_key=LOC-007',
      `parent_id=${location(3)}`,
      'parent_external_key=LOC-003',
      'is_root=true',
      ...selected(L),
    ]),
    getLocation: get(`/locations/${L}`),
    createLocation: [
      { method: 'POST', path: '/locations', body: { ...created, tags: null, parent_id: location(3) } },
      { method: 'POST', path: '/locations', body: { name: 'New', parent_external_key: 'LOC-003' } },
    ],
    saveLocationBatch: [
      {
        method: 'POST',
        path: '/locations/batch',
        body: {
          items: [
            { name: 'New', external_key: 'NEW-3', parent_id: location(3) },
            { external_key: 'LOC-007', parent_external_key: 'LOC-003' },
          ],
        },
      },
    ],
    updateLocation: [{ method: 'PATCH', path: `/locations/${L}`, body: { parent_id: location(1) } }],
    renameLocation: [{ method: 'POST', path: `/locations/${L}/rename`, body: { external_key: 'PLACE' } }],
    deleteLocation: [{ method: 'DELETE', path: `/locations/${location(199)}` }],
    previewLocationRestore: get(`/locations/${location(199)}/restore`),
    restoreLocation: [{ method: 'POST', path: `/locations/${location(199)}/restore`, body: {} }],
    listLocationBranch: get(
      '/locations/branch',
      `/locations/branch?parent_id=${location(0)}&limit=1&offset=1`,
    ),
    listLocationAncestors: get(`/locations/${L}/ancestors`),
    listLocationChildren: get(`/locations/${location(0)}/children`),
    listLocationDescendants: get(`/locations/${location(0)}/descendants`),
    addLocationTag: [{ method: 'POST', path: `/locations/${L}/tags`, body: { tag_type: 'ble', value: 'L' } }],
    removeLocationTag: [{ method: 'DELETE', path: `/locations/${L}/tags/${tag(L)}` }],
    lookUpValues: [
      { method: 'POST', path: '/lookup', body: { values: ['ASSET-0007', 'LOC-007', 'NEW', 'none'] } },
    ],
    listFloorPlans: get('/floor-plans'),
    saveFloorPlan: [
      { method: 'PUT', path: '/floor-plans/all', body: { zones: [zone], readers: [], version: 1 } },
      {
        method: 'PUT',
        path: `/floor-plans/${location(0)}`,
        body: { zones: [zone], readers: [], version: 0 },
      },
    ],
    saveFloorImage: [
      { method: 'PUT', path: '/floor-plans/all/image', body: SVG, mediaType: 'image/svg+xml' },
    ],
    getFloorImage: get(`/floor-plans/images/${createHash('sha256').update(SVG).digest('hex')}`),
    removeFloorImage: [{ method: 'DELETE', path: '/floor-plans/all/image' }],
    listLegacyAssets: legacy(...get('/assets', '/assets?location=LOC-007')),
    getLegacyAsset: legacy(...get('/assets/ASSET-0004')),
    createLegacyAsset: legacy({ method: 'POST', path: '/assets', body: { name: 'New' } }),
    updateLegacyAsset: legacy({ method: 'PUT', path: '/assets/ASSET-0004', body: { name: 'Put' } }),
    deleteLegacyAsset: legacy({ method: 'DELETE', path: '/assets/ASSET-0005' }),
    listLegacyLocations: legacy(...get('/locations', '/locations?sort=path')),
    getLegacyLocation: legacy(...get('/locations/LOC-100')),
    createLegacyLocation: legacy({
      method: 'POST',
      path: '/locations',
      body: { identifier: 'N', name: 'New' },
    }),
    updateLegacyLocation: legacy({
      method: 'PUT',
      path: '/locations/LOC-100',
      body: { name: 'Put', parent_identifier: 'LOC-002' },
    }),
    deleteLegacyLocation: legacy({ method: 'DELETE', path: '/locations/LOC-198' }),
    listLegacyLocationAncestors: legacy(...get('/locations/LOC-100/ancestors')),
    listLegacyLocationChildren: legacy(...get('/locations/LOC-000/children')),
    listLegacyLocationDescendants: legacy(...get('/locations/LOC-000/descendants')),
    attachLegacyAssetTag: legacy({ method: 'POST', path: '/assets/ASSET-0004/tags', body: { value: 'M' } }),
    detachLegacyAssetTag: legacy({ method: 'DELETE', path: `/assets/ASSET-0004/tags/${tag(asset(4))}` }),
    attachLegacyLocationTag: legacy({
      method: 'POST',
      path: '/locations/LOC-100/tags',
      body: { value: 'N' },
    }),
    detachLegacyLocationTag: legacy({
      method: 'DELETE',
      path: `/locations/LOC-100/tags/${tag(location(100))}`,
    }),
    attachLegacyAssetIdentifier: legacy({
      method: 'POST',
      path: '/assets/ASSET-0004/identifiers',
      body: { value: 'O' },
    }),
    detachLegacyAssetIdentifier: legacy({
      method: 'DELETE',
      path: `/assets/ASSET-0006/identifiers/${tag(asset(6))}`,
    }),
    attachLegacyLocationIdentifier: legacy({
      method: 'POST',
      path: '/locations/LOC-100/identifiers',
      body: { value: 'P' },
    }),
    detachLegacyLocationIdentifier: legacy({
      method: 'DELETE',
      path: `/locations/LOC-101/identifiers/${tag(location(101))}`,
    }),
    exportAssets: get(
      '/exports/assets',
      '/exports/assets?q=serial 1a&sort=-name&window=current&include_deleted=true',
    ),
    exportLocations: get('/exports/locations'),
  }
}

/** Requests about one import, in this order. `createImport` creates it. */
export function importRequests(): Record<ImportOperation, (id: number) => Request> {
  const csv = ['external_key,name,rfid', 'ASSET-0007,Renamed,NEW-7', 'BRAND-NEW,New,NEW-8', ',Minted,'].join(
    '\n',
  )
  return {
    createImport: () => ({
      method: 'POST',
      path: '/imports?resource=assets&dry_run=true',
      body: csv,
      mediaType: 'text/csv',
    }),
    listImports: () => ({ method: 'GET', path: '/imports' }),
    getImport: (id) => ({ method: 'GET', path: `/imports/${id}` }),
    listImportRows: (id) => ({ method: 'GET', path: `/imports/${id}/rows?outcome=created` }),
    exportFailedImportRows: (id) => ({ method: 'GET', path: `/imports/${id}/failed-rows` }),
    applyImport: (id) => ({ method: 'POST', path: `/imports/${id}/apply`, body: {} }),
    deleteImport: (id) => ({ method: 'DELETE', path: `/imports/${id}` }),
  }
}
type ImportOperation = Extract<Operation, `${string}Import${'' | 's' | 'Rows'}`>
