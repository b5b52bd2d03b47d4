import { killDeleting, organizationRows } from '@whereabouts/testing/database/organization-rows'
import { expect } from 'vitest'
import { test, type Tracking } from '../../../test/tracking.fixture.ts'
import { answerErasure } from './erasures.responder.ts'

const [MINE, THEIRS] = [1, 2]

/** History of three months, open and packed, with positions, readers and an export. */
async function fill(tracking: Tracking, orgId: number): Promise<void> {
  const { catalog, pool } = tracking
  const [asset, place] = [catalog.asset(orgId, 'Forklift'), catalog.location(orgId, 'Dock')]
  catalog.tag(asset, 'E280')
  await tracking.project()
  const body = { reader_key: 'gate', name: 'Gate', format: 'canonical' }
  const reader = (await tracking.call('POST', '/readers', { orgId, body })).json().data
  const antenna = { name: 'left', antenna: 1, location_id: place.id }
  await tracking.call('POST', `/readers/${reader.id}/scan-points`, { orgId, body: antenna })
  await tracking.call('POST', '/exports', { orgId, body: { dataset: 'assets', format: 'csv' } })
  const values = [orgId, asset.id, place.id]
  await pool.query(
    `insert into scan (org_id, asset_id, minute, observed_at, location_id)
     select $1, $2, m, m, $3 from generate_series(1, 1200) i, lateral (select date_trunc('minute', now()) - i * interval '1 minute') t (m)`,
    values,
  )
  await pool.query(
    `select make_history_day(d::date) from generate_series(date_trunc('month', current_date - 80), current_date, interval '1 month') d`,
  )
  await pool.query(
    `insert into day_packed (org_id, asset_id, first_location_id, last_location_id, first_at, last_at, day, n, seen, detail)
     select $1, $2 + i, $3, $3, d, d, d, 1, '', '' from generate_series(1, 40) i, generate_series(current_date - 80, current_date - 3, interval '1 day') d`,
    values,
  )
  await pool.query(
    `insert into unknown_tag (org_id, tag_type, value, first_seen_at, last_seen_at, reads, reader_key, antenna)
     values ($1, 'rfid', 'E299', now(), now(), 1, 'gate', 1)`,
    [orgId],
  )
}

test('D15.3 history, readers and exports of one organization go, over three kills; another keeps all', async ({
  tracking,
}) => {
  const { db, pool } = tracking
  for (const orgId of [MINE, THEIRS]) await fill(tracking, orgId)
  const before = await organizationRows(pool, THEIRS)
  expect(Object.keys(before)).toEqual(
    expect.arrayContaining([
      'asset',
      'day_packed',
      'export',
      'reader',
      'scan',
      'scan_point',
      'tag',
      'unknown_tag',
    ]),
  )
  for (let kill = 0; kill < 3; kill += 1) await killDeleting(pool, answerErasure(db, { org_id: MINE }))
  while ((await answerErasure(db, { org_id: MINE })).left);
  expect(await organizationRows(pool, MINE)).toEqual({})
  expect(await organizationRows(pool, THEIRS)).toEqual(before)
})
