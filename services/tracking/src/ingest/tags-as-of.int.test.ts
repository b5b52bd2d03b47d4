import { describe, expect } from 'vitest'
import {
  ago,
  answers,
  attach,
  detach,
  firstTag,
  iso,
  stored,
  type Asked,
} from '../../test/ingest/as-of.fixture.ts'
import { scans, warehouse } from '../../test/ingest/warehouse.fixture.ts'
import { test, type Tracking } from '../../test/tracking.fixture.ts'

const at = (...minutes: number[]): Asked[] => minutes.map((minute) => ({ ago: minute }))
const three = <T>(one: T): T[] => [one, one, one]

/** The forklift had the tag until half an hour ago; since then, this asset has it. */
async function handedOver(tracking: Tracking) {
  const scene = await warehouse(tracking)
  detach(tracking, firstTag(tracking), 30)
  const heir = tracking.catalog.asset(1, 'Heir')
  attach(tracking, heir, 30)
  await tracking.project()
  return { ...scene, heir }
}

describe('D18.1 a read counts for the asset that had the tag at its time', () => {
  test('a buffered read of a tag that was handed over does not place its new asset', async ({ tracking }) => {
    await handedOver(tracking)
    expect(await answers(tracking, at(60, 20, 0))).toEqual(
      three(['Forklift 7 at Dock', 'Heir at Dock', 'Heir at Dock']),
    )
    const { rows, health } = await stored(tracking, at(60, 20))
    expect(rows).toEqual([
      ['Forklift 7', 'Dock', 60],
      ['Heir', 'Dock', 20],
    ])
    expect(health).toMatchObject({ reads: 2, reads_unknown_tag: 0 })
  })

  test('a time less than 10 s before receipt counts as that of receipt', async ({ tracking }) => {
    await warehouse(tracking)
    detach(tracking, firstTag(tracking), 5 / 60)
    attach(tracking, tracking.catalog.asset(1, 'Heir'), 5 / 60)
    await tracking.project()
    expect(await answers(tracking, at(9 / 60, 10 / 60))).toEqual(
      three(['Heir at Dock', 'Forklift 7 at Dock']),
    )
  })

  test('two assets in turn, three times', async ({ tracking }) => {
    const { asset } = await warehouse(tracking)
    const other = tracking.catalog.asset(1, 'Other')
    let tag = firstTag(tracking)
    for (const [i, minute] of [70, 60, 50, 40, 30, 20].entries()) {
      detach(tracking, tag, minute)
      tag = attach(tracking, i % 2 === 0 ? other : asset, minute)
    }
    await tracking.project()
    const names = ['Forklift 7', 'Other', 'Forklift 7', 'Other', 'Forklift 7', 'Other', 'Forklift 7']
    const minutes = [75, 65, 55, 45, 35, 25, 15]
    expect(await answers(tracking, at(...minutes))).toEqual(three(names.map((name) => `${name} at Dock`)))
    expect((await stored(tracking, at(...minutes))).rows.map(([name]) => name)).toEqual(names)
  })

  test('the first asset of a tag counts for earlier times', async ({ tracking }) => {
    await warehouse(tracking)
    attach(tracking, tracking.catalog.asset(1, 'New'), 10, { value: 'AA01' })
    await tracking.project()
    const read = { value: 'AA01', ago: 600 }
    expect(await answers(tracking, [read])).toEqual(three(['New at Dock']))
    expect((await stored(tracking, [read])).rows).toEqual([['New', 'Dock', 600]])
  })

  test('a read of an asset that was made anew does not place the new one', async ({ tracking }) => {
    const { asset } = await warehouse(tracking)
    tracking.catalog.change(asset, { deleted_at: iso(ago(30)) })
    detach(tracking, firstTag(tracking), 30)
    attach(tracking, tracking.catalog.asset(1, 'Anew'), 20)
    await tracking.project()
    expect(await answers(tracking, at(60, 25, 10))).toEqual(
      three(['nobody at Dock', 'nobody at Dock', 'Anew at Dock']),
    )
    const { rows, health, listed } = await stored(tracking, at(60, 25, 10))
    expect(rows).toEqual([['Anew', 'Dock', 10]])
    expect([health.reads_unknown_tag, health.reads_unplaced, listed]).toEqual([2, 0, 0])
  })

  test('a tag that nobody has any more is counted, not listed; earlier reads count', async ({ tracking }) => {
    await warehouse(tracking)
    detach(tracking, firstTag(tracking), 30)
    await tracking.project()
    expect(await answers(tracking, at(60, 10))).toEqual(three(['Forklift 7 at Dock', 'nobody at Dock']))
    const { rows, health, listed } = await stored(tracking, at(60, 10))
    expect([rows, health.reads_unknown_tag, listed]).toEqual([[['Forklift 7', 'Dock', 60]], 1, 0])
  })

  test('of a tag that was detached, catalog is asked whether something has it now', async ({ tracking }) => {
    await warehouse(tracking)
    detach(tracking, firstTag(tracking), 30)
    await tracking.project()
    const newest = tracking.catalog.asset(1, 'Newest')
    attach(tracking, newest, 1) // its state has not arrived
    await stored(tracking, at(0))
    expect(await scans(tracking)).toMatchObject([{ asset_id: newest.id }])
  })

  test('an owner before eight days is forgotten', async ({ tracking }) => {
    await warehouse(tracking)
    const eightDays = 8 * 24 * 60
    detach(tracking, firstTag(tracking), eightDays + 1)
    await tracking.project()
    expect(await answers(tracking, at(60))).toEqual(three(['unknown at Dock']))
    attach(tracking, tracking.catalog.asset(1, 'Heir'), 30)
    await tracking.project()
    expect(await answers(tracking, at(60))).toEqual(three(['Heir at Dock']))
  })

  test('a restored asset has its tag as if it never had lost it, but not what another asset had meanwhile', async ({
    tracking,
  }) => {
    await warehouse(tracking)
    detach(tracking, attach(tracking, tracking.catalog.asset(1, 'Guest'), 60), 40)
    await tracking.project()
    expect(await answers(tracking, at(70, 50, 30))).toEqual(
      three(['Forklift 7 at Dock', 'Guest at Dock', 'Forklift 7 at Dock']),
    )
  })

  test('D6.5 an exact match wins among those that had the value at that time', async ({ tracking }) => {
    await warehouse(tracking)
    const exact = tracking.catalog.asset(1, 'Exact')
    const other = attach(tracking, tracking.catalog.asset(1, 'Tolerant'), 90, { value: 'aa:01' })
    detach(tracking, attach(tracking, exact, 60, { value: 'AA01' }), 30)
    const read = (...minutes: number[]) => minutes.map((minute) => ({ value: 'AA01', ago: minute }))
    await tracking.project()
    expect(await answers(tracking, read(70, 50, 20))).toEqual(
      three(['Tolerant at Dock', 'Exact at Dock', 'Tolerant at Dock']),
    )
    detach(tracking, other, 10)
    await tracking.project()
    expect(await answers(tracking, read(50, 20, 5))).toEqual(
      three(['Exact at Dock', 'Tolerant at Dock', 'nobody at Dock']),
    )
  })

  test('D16.5 a pure identity that was detached counts for reads in hex from before', async ({
    tracking,
  }) => {
    await warehouse(tracking)
    const value = 'urn:epc:id:sgtin:0614141.812345.6789'
    detach(tracking, attach(tracking, tracking.catalog.asset(1, 'Pure'), 90, { value }), 30)
    await tracking.project()
    const read = (minutes: number) => ({ value: '3074257BF7194E4000001A85', ago: minutes })
    expect(await answers(tracking, [read(60), read(10)])).toEqual(three(['Pure at Dock', 'nobody at Dock']))
  })
})
