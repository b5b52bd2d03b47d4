import { sql } from 'kysely'
import { expect } from 'vitest'
import { createPastDays } from '../../../test/partitions.ts'
import { recordStatements, type Statement } from '../../../test/reports/plans.fixture.ts'
import { test } from '../../../test/tracking.fixture.ts'
import { packStep } from './packer.ts'

test('packing reads rows in the order of the index, also from a partition without statistics', async ({
  tracking,
}) => {
  const { db, pool } = tracking
  await createPastDays(db, 5)
  await db.transaction().execute(async (tx) => {
    await sql`select set_config('whereabouts.writes_movements', 'on', true)`.execute(tx)
    await sql`
      insert into scan (org_id, asset_id, minute, observed_at)
      select 1, asset, at, at from generate_series(0, 1439) minute cross join generate_series(1, 20) asset
      cross join lateral (
        select (current_date - 5)::timestamp at time zone 'UTC' + minute * interval '1 minute') as t (at)`.execute(
      tx,
    )
  })
  await sql`update history_packing set after_org = 1, after_asset = 2, starts_at = '-infinity'`.execute(db)
  const sent: Statement[] = []
  await packStep(recordStatements(db, sent), { batchRows: 2_000 })
  const read = sent.findIndex(({ text }) => text.includes('from scan s where'))
  const client = await pool.connect()
  try {
    await client.query('begin')
    for (const { text, values } of sent.slice(0, read)) await client.query(text, [...values])
    const { text, values } = sent[read]!
    const { rows } = await client.query(`explain (format json) ${text}`, [...values])
    const types = [...JSON.stringify(rows).matchAll(/"Node Type":"([^"]+)"/g)].map(([, type]) => type)
    expect(types.filter((type) => /Sort|Bitmap|Seq/.test(type!))).toEqual([])
    expect(types).toContain('Index Scan')
  } finally {
    await client.query('rollback')
    client.release()
  }
})
