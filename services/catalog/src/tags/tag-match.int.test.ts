import { sql, type Kysely } from 'kysely'
import { expect } from 'vitest'
import { up } from '../../migrations/0017_tag_match.ts'
import { test } from '../../test/catalog.fixture.ts'

const rfid = (value: string) => ({ tag_type: 'rfid' as const, value })

test('D16.5 tags of earlier releases get their form, also deleted ones, and again changes nothing', async ({
  catalog,
  otherOrg,
}) => {
  const tags = ['0xE280', 'urn:epc:tag:sgtin-96:3.0614141.812345.6789', 'urn:epc:id:sgtin:0614141.812345.6789', 'URN:x', 'e2 80'].map(rfid) // oxfmt-ignore
  await catalog.asset({ tags: [...tags, { tag_type: 'barcode', value: '0xE280' }] })
  const gone = await catalog.asset({ tags: [rfid('0xE281')] })
  await catalog.delete(`/assets/${gone.id}`)
  await catalog.asset({ tags }, { org: otherOrg })
  const { db } = catalog.database
  const forms = () =>
    db
      .selectFrom('tag')
      .select(['org_id', 'id', 'match_value', 'revision'])
      .orderBy('org_id')
      .orderBy('id')
      .execute()
  const now = await forms()
  await sql`update tag set match_value = upper(translate(value, ' :-', '')) where tag_type = 'rfid'`.execute(
    db,
  )
  expect(await forms()).not.toEqual(now)
  for (const _ of ['first', 'again']) {
    await up(db as unknown as Kysely<unknown>)
    expect(await forms()).toEqual(now)
  }
})
