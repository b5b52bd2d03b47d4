import { expect, test } from 'vitest'
import { problemsIn } from '../../../parts/form/checks.ts'
import { digitsOf } from '../../../parts/form/whole-number.tsx'
import { changesOf, checksOf, draftOf, isSet, settingText, withSettings } from './draft.ts'
import { DEFAULTS, isDefault, PRESETS, settingsOf } from '../../../parts/placement/presets.ts'
import type { Placement } from '../../../parts/placement/use-placement.ts'

const placement: Placement = { ...DEFAULTS, tag_types: ['ble'] }
const draft = draftOf(placement)

test('only what differs is sent', () => {
  expect(changesOf(placement, draft)).toEqual({})
  expect(changesOf(placement, { ...draft, margin: '6' })).toEqual({ margin_db: 6 })
  expect(
    changesOf(placement, {
      carries: true,
      tagTypes: ['rfid', 'ble'],
      margin: '40',
      delay: '3600',
      minimum: '-80',
    }),
  ).toEqual({
    passages: 'carry',
    tag_types: ['rfid', 'ble'],
    margin_db: 40,
    exit_delay_seconds: 3_600,
    min_rssi_dbm: -80,
  })
  const strict = { ...placement, min_rssi_dbm: -80 }
  expect(changesOf(strict, { ...draftOf(strict), minimum: '' })).toEqual({ min_rssi_dbm: null })
})

test('numbers beyond the limits of the API are problems of their field', () => {
  expect(problemsIn(checksOf({ ...draft, margin: '40', delay: '3600', minimum: '-120' }))).toEqual({})
  expect(problemsIn(checksOf({ ...draft, margin: '41', delay: '', minimum: '5' }))).toEqual({
    margin_db: 'Enter a whole number from 0 to 40.',
    exit_delay_seconds: 'Enter a whole number from 0 to 3600.',
    min_rssi_dbm: 'Enter a whole number from −120 to 0.',
  })
})

test('a suggested setting goes into the draft, and what it does not name stays', () => {
  const typed = { ...draft, margin: '3', delay: '90', minimum: '-80' }
  expect(withSettings(typed, { margin_db: 6, exit_delay_seconds: 120, tag_types: ['ble', 'rfid'] })).toEqual({
    ...typed,
    margin: '6',
    delay: '120',
    tagTypes: ['rfid', 'ble'],
  })
  expect(withSettings(typed, { passages: 'carry' })).toEqual({ ...typed, carries: true })
  expect(withSettings(typed, DEFAULTS)).toEqual(draft)
})

test('a setting that holds already is known as such', () => {
  expect(isSet(placement, { passages: 'carry' })).toBe(false)
  expect(isSet({ ...placement, passages: 'carry' }, { passages: 'carry' })).toBe(true)
  expect(isSet({ ...placement, margin_db: 6 }, { margin_db: 6, exit_delay_seconds: 120 })).toBe(false)
})

test('settings in words', () => {
  expect(settingText({ margin_db: 6, exit_delay_seconds: 120 })).toBe('margin 6 dB, delay 120 s')
  expect(settingText({ passages: 'carry' })).toBe('carry passages')
  expect(settingText({ min_rssi_dbm: -80, tag_types: ['rfid', 'ble'] })).toBe('minimum −80 dBm, judge RFID and Bluetooth tags') // oxfmt-ignore
})

test('presets add up, in one request', () => {
  expect(settingsOf(['rooms', 'gates', 'handhelds'])).toEqual({
    margin_db: 6,
    exit_delay_seconds: 120,
    passages: 'carry',
  })
  expect(settingsOf(['handhelds'])).toEqual({})
  expect(PRESETS.map(({ settings }) => isDefault({ ...placement, ...settings }))).toEqual([
    false,
    false,
    true,
  ])
})

test('a minus in any form makes a signed number', () => {
  expect(['-80', '−80', ' – 80 dBm', '80-', '8-0'].map((typed) => digitsOf(typed, true))).toEqual([
    '-80',
    '-80',
    '-80',
    '80',
    '80',
  ])
  expect(digitsOf('-5', false)).toBe('5')
})
