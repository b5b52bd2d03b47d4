import { expect } from 'vitest'
import { fill, iso, midnight } from '../../../../test/exports/exports.fixture.ts'
import { log, test } from '../../../../test/tracking.fixture.ts'
import { packStep } from '../../../positions/packed/packer.ts'
import { maintainPartitions } from '../../../positions/partitions/partitions.loop.ts'
import { dayRows, type DayRows } from './day-rows.queries.ts'

const cells = (rows: DayRows) =>
  rows.asset_id.map((asset, i) => [
    asset, rows.observed_at[i], rows.location_id[i], rows.reader_key[i], rows.antenna[i],
  ]) // oxfmt-ignore

test('D22.3 a day that is packed and dropped while it is read has each row once, as before and after', async ({
  tracking,
}) => {
  const { db } = tracking
  const from = midnight(5)
  const assets = Array.from({ length: 25 }, (_, i) => 500 + i)
  await fill(tracking, { assets, minutes: 999, from, locations: [1, 2, 3] })
  const day = iso(from).slice(0, 10)
  const all = async () => (await Array.fromAsync(dayRows(db, 1, day))).flatMap(cells)
  const expected = await all()
  expect(expected).toHaveLength(25 * 999)
  const reading = dayRows(db, 1, day)
  const first = await reading.next()
  while ((await packStep(db)).outcome !== 'done');
  await maintainPartitions({ owner: db, retentionDays: 400, log })
  const rest = await Array.fromAsync(reading)
  expect([...(first.done ? [] : cells(first.value)), ...rest.flatMap(cells)]).toEqual(expected)
  expect(await all()).toEqual(expected)
})
