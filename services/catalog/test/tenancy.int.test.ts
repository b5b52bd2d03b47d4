import { routePath, routesOf } from '@whereabouts/contracts/routes'
import type { Route } from '@whereabouts/contracts/route'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createRegistry } from '@whereabouts/service-kit/observe/metrics'
import { testCallers } from '@whereabouts/testing/caller'
import { withoutOrgFilter } from '@whereabouts/testing/database/without-org-filter'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import type { Tables } from '../src/db.ts'
import { wire } from '../src/app.ts'
import { test, type Catalog } from './catalog.fixture.ts'
import { TrackingStandIn } from './tracking.fixture.ts'

/** Resources of another organization. */
type Theirs = { asset_id: number; location_id: number; tag_id: number; identifier: string }

const bodies: Record<string, unknown> = {
  updateAsset: { name: 'Mine now' },
  updateLocation: { name: 'Mine now' },
  renameAsset: { external_key: 'MINE-NOW' },
  renameLocation: { external_key: 'MINE-NOW' },
  addAssetTag: { tag_type: 'rfid', value: 'MINE-NOW' },
  addLocationTag: { tag_type: 'rfid', value: 'MINE-NOW' },
  updateLegacyAsset: { name: 'Mine now', identifier: 'MINE-NOW', identifiers: [] },
  updateLegacyLocation: { name: 'Mine now', identifier: 'MINE-NOW', parent_identifier: 'ROOT' },
  attachLegacyAssetTag: { value: 'MINE-NOW' },
  attachLegacyAssetIdentifier: { value: 'MINE-NOW' },
  attachLegacyLocationIdentifier: { value: 'MINE-NOW' },
  attachLegacyLocationTag: { value: 'MINE-NOW' },
}

const rowsOf = (method: (row: Route) => boolean) =>
  routesOf('catalog').filter(([, row]) => row.described && method(row))
const onOneResource = rowsOf((row) => /\{(asset_id|location_id|identifier)\}/.test(row.path))
const lists = rowsOf((row) => row.vocabulary === undefined && row.method === 'GET' && !row.path.includes('{'))

/** A service whose statements lose the organization, so that only row-level security protects rows. */
async function forgetfulService(db: TenantDatabase<Tables>) {
  const callers = testCallers()
  const { app } = wire({
    db,
    tracking: new TrackingStandIn(),
    verify: callers.verify,
    log: createLogger('catalog', 'fatal'),
    registry: createRegistry('catalog'),
    wakeOutbox: () => undefined,
  })
  return {
    close: () => app.close(),
    async call(orgId: number, method: Route['method'], url: string, body: unknown, mediaType: string) {
      const headers = { ...(await callers.headersFor({ orgId })), 'content-type': mediaType }
      return app.inject({
        method,
        url,
        headers,
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      })
    },
  }
}

async function fill(catalog: Catalog, org: number): Promise<Theirs> {
  const as = { org }
  const parent = await catalog.location({ external_key: 'ROOT' }, as)
  const location = await catalog.location({ external_key: 'DOCK', parent_id: parent.id }, as)
  await catalog.location({ external_key: 'GATE', parent_id: location.id }, as)
  const tags = [{ tag_type: 'rfid' as const, value: 'E280' }]
  const asset = await catalog.asset({ name: 'Forklift', external_key: 'DOCK', tags }, as)
  return { asset_id: asset.id, location_id: location.id, tag_id: asset.tags[0]?.id ?? 0, identifier: 'DOCK' }
}

const urlOf = (row: Route, theirs: Theirs) =>
  routePath(row).replaceAll(/\{(\w+)\}/g, (_, name: string) => String(theirs[name as keyof Theirs]))

const everythingOf = async ({ database }: Catalog, orgId: number) => {
  const rowsOfTable = (table: 'asset' | 'location' | 'tag') =>
    database.db.selectFrom(table).selectAll().where('org_id', '=', orgId).orderBy('id').execute()
  return Promise.all([rowsOfTable('asset'), rowsOfTable('location'), rowsOfTable('tag')])
}

describe('if every statement forgets the organization', () => {
  test('every route answers 404 for resources of another organization and leaves them unchanged', async ({
    catalog,
    otherOrg,
  }) => {
    const theirs = await fill(catalog, otherOrg)
    const before = await everythingOf(catalog, otherOrg)
    const service = await forgetfulService(withoutOrgFilter((orgId) => catalog.tenants.forOrg(orgId)))
    for (const [id, row] of onOneResource) {
      const mediaType = row.mediaTypes?.[0] ?? 'application/json'
      const response = await service.call(
        catalog.orgId,
        row.method,
        urlOf(row, theirs),
        bodies[id],
        mediaType,
      )
      expect({ id, status: response.statusCode }).toEqual({ id, status: 404 })
    }
    expect(await everythingOf(catalog, otherOrg)).toEqual(before)
    await service.close()
  })

  test('lists and searches contain only rows of the own organization', async ({ catalog, otherOrg }) => {
    await fill(catalog, otherOrg)
    const own = await fill(catalog, catalog.orgId)
    const service = await forgetfulService(withoutOrgFilter((orgId) => catalog.tenants.forOrg(orgId)))
    for (const [, row] of lists) {
      for (const query of ['', '?q=e280', '?external_key=DOCK', '?include_deleted=true&sort=name']) {
        const response = await service.call(
          catalog.orgId,
          'GET',
          routePath(row) + query,
          undefined,
          'application/json',
        )
        const { data, total_count } = response.json<{ data: { id: number }[]; total_count: number }>()
        const seen = await ownIds(catalog, data.map(({ id }) => id)) // oxfmt-ignore
        expect({ query, foreign: data.length - seen, total_count }).toEqual({
          query,
          foreign: 0,
          total_count: data.length,
        })
      }
    }
    expect(own.asset_id).toBeGreaterThan(0)
    await service.close()
  })

  // Proves that the two tests above can fail.
  test('the same statements reach another organization if the owner of the tables sends them', async ({
    catalog,
    otherOrg,
  }) => {
    const theirs = await fill(catalog, otherOrg)
    const service = await forgetfulService(withoutOrgFilter(() => catalog.database.db))
    const response = await service.call(
      catalog.orgId,
      'GET',
      `/api/v1/assets/${theirs.asset_id}`,
      undefined,
      '',
    )
    expect(response.json<{ data: { id: number } }>().data.id).toBe(theirs.asset_id)
    const list = await service.call(catalog.orgId, 'GET', '/api/v1/assets', undefined, '')
    expect(list.json<{ total_count: number }>().total_count).toBeGreaterThan(0)
    await service.close()
  })
})

test('row-level security protects every table with an organization', async ({ catalog: { database } }) => {
  const { rows } = await sql<{ table: string; protected: boolean }>`
    select c.relname as table, c.relrowsecurity as protected from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')`.execute(database.db)
  expect(rows.length).toBeGreaterThanOrEqual(3)
  expect(rows.filter((row) => !row.protected)).toEqual([])
})

/** The number of ids that belong to this organization. */
const ownIds = async ({ database, orgId }: Catalog, ids: readonly number[]): Promise<number> => {
  const { rows } = await sql<{ n: number }>`
    select (select count(*) from asset where org_id = ${orgId} and id = any(${ids}::bigint[])) +
      (select count(*) from location where org_id = ${orgId} and id = any(${ids}::bigint[])) as n`.execute(
    database.db,
  )
  return rows[0]?.n ?? 0
}
