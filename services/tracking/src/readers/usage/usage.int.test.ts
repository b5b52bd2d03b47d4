import { saveLimits } from '@whereabouts/db/schema/usage'
import { expect } from 'vitest'
import { test } from '../../../test/tracking.fixture.ts'
import { usageOf } from './usage.responder.ts'

const RETENTION_DAYS = 400

test('readers and scan points are counted, and refused beyond their limits', async ({ tracking }) => {
  const limits = { readers: 3, scan_points: 2 }
  await saveLimits(tracking.worker.db, { org_id: 1, revision: 1, limits })
  const create = (key: string, orgId = 1) =>
    tracking.call('POST', '/readers', { orgId, body: { reader_key: key, name: key, format: 'impinj' } })
  const made = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => create(key)))
  expect(made.filter(({ statusCode }) => statusCode === 409)).toHaveLength(2)
  expect(made.find(({ statusCode }) => statusCode === 409)?.json().error.detail).toMatch(/limit readers/)
  expect((await create('d', 2)).statusCode).toBe(201)
  const { id } = made.find(({ statusCode }) => statusCode === 201)!.json().data
  const point = (antenna: number) =>
    tracking.call('POST', `/readers/${id}/scan-points`, { body: { antenna, name: 'n', location_id: null } })
  const points = [await point(1), await point(2), await point(3)]
  expect(points.map(({ statusCode }) => statusCode)).toEqual([201, 201, 409])
  const used = async () => {
    const usage = await usageOf(tracking.db, 1, RETENTION_DAYS)
    return Object.fromEntries(usage.map((row) => [row.name, row.used]))
  }
  expect(await used()).toMatchObject({ readers: 3, scan_points: 2, kept_messages: 0, history_days: 0 })
  await tracking.call('DELETE', `/readers/${id}`)
  expect(await used()).toMatchObject({ readers: 2, scan_points: 0 })
})
