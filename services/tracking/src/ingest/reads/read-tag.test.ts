import { expect, test } from 'vitest'
import { CatalogStandIn } from '../../../test/tracking.fixture.ts'
import type { NeutralRead } from '../../formats/decoder.ts'
import { CatalogView } from '../../catalog/catalog-view.ts'
import { findTag } from './read-tag.ts'

const DAY = 86_400_000
const NOW = Date.parse('2026-06-30T12:00:00.000Z')
const iso = (daysAgo: number) => new Date(NOW - daysAgo * DAY).toISOString()
const BEACON = { uuid: 'f7826da6-4fa2-4e98-8024-bc5b71e0893e', major: 1, minor: 7 }
const read = (value: string, extra?: NeutralRead['extra']): NeutralRead => ({
  antenna: 1,
  tag_type: 'ble',
  tag_value: value,
  rssi_dbm: null,
  read_count: 1,
  read_at_ms: null,
  ...(extra && { extra }),
})

/** A view, its clock, and who had a tag some days ago; null: nobody, undefined: not known. */
function scene() {
  const catalog = new CatalogStandIn()
  const clock = { now: NOW }
  const view = new CatalogView(() => clock.now)
  const ble = (name: string, value: string, from: number, until: number | null = null) => {
    const asset = catalog.asset(1, name)
    const deleted_at = until === null ? null : iso(until)
    view.applyAsset(asset)
    return catalog.tag(asset, value, { tag_type: 'ble', created_at: iso(from), deleted_at })
  }
  const who = (one: NeutralRead, daysAgo: number) => {
    const tag = findTag(view, 1, one, NOW - daysAgo * DAY)
    return tag && view.assetOfTag(tag)?.name
  }
  return { view, clock, ble, who }
}

test('D18.1 what a lookup brought is right once the stream brings who had the tag before, in either order', () => {
  const { view, ble, who } = scene()
  const [before, after] = [ble('Before', 'AA01', 90, 3), ble('After', 'AA01', 2)]
  view.applyTag(after)
  expect(who(read('AA01'), 4)).toBe('After')
  view.applyTag(before)
  expect([4, 2.5, 1].map((days) => who(read('AA01'), days))).toEqual(['Before', null, 'After'])
})

test('D18.1 a lookup is right before the stream says that the former tag was detached', () => {
  const { view, ble, who } = scene()
  view.applyTag(ble('Before', 'AA01', 90))
  view.applyTag(ble('After', 'AA01', 2))
  expect([4, 1].map((days) => who(read('AA01'), days))).toEqual(['Before', 'After'])
})

test('D18.1 a detached tag is forgotten eight days later, without a further state', () => {
  const { view, clock, ble, who } = scene()
  view.applyTag(ble('Gone', 'AA01', 90, 1))
  expect([2, 0.5].map((days) => who(read('AA01'), days))).toEqual(['Gone', null])
  clock.now += 7 * DAY
  expect(who(read('AA01'), 0.5)).toBeUndefined()
  expect(who(read('AA01'), 2)).toBeUndefined()
})

test('D6.5 an address that belonged to nobody gives way to the iBeacon identity', () => {
  const { view, ble, who } = scene()
  view.applyTag(ble('Address', 'C0FFEE', 90, 3))
  view.applyTag(ble('Beacon', `${BEACON.uuid}/1/7`, 80))
  const both = read('C0FFEE', { ibeacon: BEACON })
  expect([4, 1].map((days) => who(both, days))).toEqual(['Address', 'Beacon'])
  const other = read('C0FFEE', { ibeacon: { ...BEACON, minor: 8 } })
  expect(who(other, 1)).toBeNull()
})
