import { withoutOrgFilter } from '@whereabouts/testing/database/without-org-filter'
import type { Kysely } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Tables } from '../src/db.ts'
import type { Observation } from '../src/positions/observation.ts'
import { minuteOf } from '../src/positions/observation.ts'
import { store } from './store.ts'
import { startTracking, type Tracking } from './tracking.fixture.ts'
import { addUnknownTags } from '../src/readers/unknown-tags/unknown-tags.queries.ts'
import { readBy } from './read-by.ts'

const [MINE, THEIRS] = [1, 2]
const NOW = Math.floor(Date.now() / 60_000) * 60_000
const HOUR = 3_600_000

/** An organization with a row in every table. */
async function fill(tracking: Tracking, orgId: number) {
  const { catalog, ingest, view } = tracking
  const asset = catalog.asset(orgId, 'Forklift')
  const location = catalog.location(orgId, 'Dock')
  catalog.tag(asset, 'E280')
  await tracking.project()
  const read = (at: number): Observation => ({
    orgId,
    assetId: asset.id,
    minute: minuteOf(at),
    observedAtMs: at,
    locationId: location.id,
    ...readBy('gate'),
  })
  await store(ingest.db, view, [read(NOW - HOUR), read(NOW - 2 * HOUR)])
  const body = { reader_key: 'gate', name: 'Gate', format: 'canonical' }
  const reader = (await tracking.call('POST', '/readers', { orgId, body })).json().data
  const antenna = { name: 'left', antenna: 1, location_id: location.id }
  const point = (
    await tracking.call('POST', `/readers/${reader.id}/scan-points`, { orgId, body: antenna })
  ).json()
  await addUnknownTags(ingest.db, [
    {
      org_id: orgId,
      tag_type: 'rfid',
      value: 'E2809999',
      ibeacon: null,
      first_seen_ms: NOW,
      last_seen_ms: NOW,
      reads: 1,
      reader_key: 'gate',
      antenna: 1,
      rssi_dbm: null,
    },
  ])
  const unknown = await tracking.db
    .selectFrom('unknown_tag')
    .select('id')
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow()
  return { reader: reader.id as number, point: point.data.id as number, unknown: unknown.id, asset, location }
}

const TABLES = ['asset', 'location', 'tag', 'reader', 'scan_point', 'unknown_tag', 'scan', 'position', 'asset_place'] as const // oxfmt-ignore

const rowsOf = (db: Kysely<Tables>, orgId: number) =>
  Promise.all(
    TABLES.map((table) =>
      db.selectFrom(table).selectAll().where('org_id', '=', orgId).orderBy('org_id').execute(),
    ),
  )

const LISTS = [
  '/readers',
  '/readers?q=gate',
  '/unknown-tags',
  '/unknown-tags?q=e280',
  '/reports/asset-locations',
  '/reports/asset-locations?q=fork',
  '/reports/asset-locations?q=e280',
  '/reports/asset-locations?sort=location_external_key',
  '/reports/asset-locations?asset_external_key=FORKLIFT',
  `/reports/asset-locations?at=${new Date(NOW).toISOString()}`,
  '/locations/current',
]

async function withTracking(
  through: Parameters<typeof startTracking>[0],
  use: (tracking: Tracking) => Promise<void>,
): Promise<void> {
  const tracking = await startTracking(through)
  try {
    await use(tracking)
  } finally {
    await tracking.stop()
  }
}

describe('if every statement forgot its organization', () => {
  test('lists, searches and reports would have no rows of another organization', async () => {
    await withTracking(
      (db) => withoutOrgFilter((orgId) => db.forOrg(orgId)),
      async (tracking) => {
        await fill(tracking, THEIRS)
        for (const path of LISTS) {
          const answer = await tracking.call('GET', path, { orgId: MINE })
          expect({ path, status: answer.statusCode, total: answer.json().total_count }).toEqual({
            path,
            status: 200,
            total: 0,
          })
        }
        await fill(tracking, MINE)
        for (const path of LISTS) {
          const { data } = (await tracking.call('GET', path, { orgId: MINE })).json<{ data: unknown[] }>()
          expect({ path, rows: data.length }).toEqual({ path, rows: 1 })
        }
        const { data } = (await tracking.call('GET', '/movements/summary', { orgId: 3 })).json()
        expect(data.hours.reduce((sum: number, { moves }: { moves: number }) => sum + moves, 0)).toBe(0)
      },
    )
  })

  test('a row of another organization would be missing and stay unchanged', async () => {
    await withTracking(
      (db) => withoutOrgFilter((orgId) => db.forOrg(orgId)),
      async (tracking) => {
        const { reader, point, unknown } = await fill(tracking, THEIRS)
        const before = await rowsOf(tracking.db, THEIRS)
        const requests = [
          ['GET', `/readers/${reader}`],
          ['PATCH', `/readers/${reader}`, { name: 'Mine' }],
          ['DELETE', `/readers/${reader}`],
          ['GET', `/readers/${reader}/scan-points`],
          ['POST', `/readers/${reader}/scan-points`, { name: 'mine', antenna: 2 }],
          ['PATCH', `/readers/${reader}/scan-points/${point}`, { name: 'mine' }],
          ['DELETE', `/readers/${reader}/scan-points/${point}`],
          ['DELETE', `/unknown-tags/${unknown}`],
        ] as const
        for (const [method, path, body] of requests) {
          const answer = await tracking.call(method, path, { orgId: MINE, body })
          expect({ method, path, status: answer.statusCode }).toEqual({ method, path, status: 404 })
        }
        expect(await rowsOf(tracking.db, THEIRS)).toEqual(before)
      },
    )
  })

  // Proves that the tests above can fail: without row-level security, they would.
  test('as the worker, without row-level security, the same statements reach another organization', async () => {
    const across: { db?: Kysely<Tables> } = {}
    await withTracking(
      (db) => withoutOrgFilter((orgId) => across.db ?? db.forOrg(orgId)),
      async (tracking) => {
        const { reader } = await fill(tracking, THEIRS)
        across.db = tracking.worker.db
        const list = await tracking.call('GET', '/readers', { orgId: MINE })
        expect(list.json().total_count).toBe(1)
        const report = await tracking.call('GET', '/reports/asset-locations', { orgId: MINE })
        expect(report.json().total_count).toBe(1)
        expect((await tracking.call('GET', `/readers/${reader}`, { orgId: MINE })).statusCode).toBe(200)
      },
    )
  })
})

test('parallel requests of two organizations, some of which fail, each see their own rows', async () => {
  await withTracking(undefined, async (tracking) => {
    const orgs = [MINE, THEIRS, 3, 4]
    for (const orgId of orgs) {
      const body = { reader_key: `of-${orgId}`, name: `Of ${orgId}`, format: 'canonical' }
      await tracking.call('POST', '/readers', { orgId, body })
    }
    const answers = await Promise.all(
      Array.from({ length: 120 }, async (_, i) => {
        const orgId = orgs[i % orgs.length] ?? MINE
        const body = { reader_key: `of-${orgId}`, name: 'again', format: 'canonical' }
        const taken = i % 3 === 0 ? await tracking.call('POST', '/readers', { orgId, body }) : undefined
        const { data } = (await tracking.call('GET', '/readers', { orgId })).json<{
          data: { name: string }[]
        }>()
        return { orgId, taken: taken?.statusCode ?? 409, names: data.map(({ name }) => name) }
      }),
    )
    expect(answers).toEqual(answers.map(({ orgId }) => ({ orgId, taken: 409, names: [`Of ${orgId}`] })))
  })
})
