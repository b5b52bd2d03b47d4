import { expect, test } from 'vitest'
import type { Filter } from '../db.ts'
import { dropReason, EXTENDED_MS, isWanted, waitAfter } from './attempts.rules.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

test('D11.3 standard: 1 s and 5 s, each give or take 20 %, then no more', () => {
  const wait = (made: number, random: number) =>
    waitAfter('standard', { made, sinceFirstMs: 0 }, () => random)
  expect([wait(1, 0), wait(1, 0.5), wait(1, 1)]).toEqual([800, 1_000, 1_200])
  expect([wait(2, 0), wait(2, 0.5), wait(2, 1)]).toEqual([4_000, 5_000, 6_000])
  expect(wait(3, 0.5)).toBeUndefined()
})

test('D13.4 extended: the waits grow to an hour, and end after 72 hours', () => {
  const waits: number[] = []
  let sinceFirstMs = 0
  for (let made = 1; ; made += 1) {
    const wait = waitAfter('extended', { made, sinceFirstMs }, () => 0.5)
    if (wait === undefined) break
    waits.push(wait)
    sinceFirstMs += wait
  }
  expect(waits.slice(0, 8)).toEqual([1_000, 5_000, 30_000, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, HOUR])
  expect(sinceFirstMs).toBe(EXTENDED_MS)
  expect(waits.length).toBeGreaterThan(70)
})

const wish = { enabled: true, event_types: ['asset.moved', 'reader.silent'], filter: null }
const move = { type: 'asset.moved', about: null }

test('D11.3 off, lapsed or another type: no attempt', () => {
  expect(dropReason(wish, 'active', move)).toBeUndefined()
  expect(dropReason({ ...wish, enabled: false }, 'lapsed', move)).toBe('disabled')
  expect(dropReason(wish, 'lapsed', move)).toBe('subscription_lapsed')
  expect(dropReason(wish, 'active', { type: 'asset.created', about: null })).toBe('not_wanted')
})

test('D13.9 a filter concerns types that have an asset type or a place; an empty list is no condition', () => {
  const none: Filter = { asset_types: [], location_ids: [], include_descendants: false }
  const wants = (filter: Partial<Filter>, about: Parameters<typeof isWanted>[1]['about'], type = move.type) =>
    isWanted({ ...wish, filter: { ...none, ...filter } }, { type, about })
  const about = { asset_type: 'person', at: [1, 2], within: [1, 2, 10] }
  expect(wants({}, about)).toBe(true)
  expect(wants({ asset_types: ['asset'] }, about)).toBe(false)
  expect(wants({ asset_types: ['person'] }, about)).toBe(true)
  expect(wants({ location_ids: [10] }, about)).toBe(false)
  expect(wants({ location_ids: [10], include_descendants: true }, about)).toBe(true)
  expect(wants({ location_ids: [2] }, about)).toBe(true)
  expect(wants({ location_ids: [2], asset_types: ['asset'] }, about)).toBe(false)
  expect(wants({ location_ids: [2], asset_types: ['asset'] }, null, 'reader.silent')).toBe(true)
})
