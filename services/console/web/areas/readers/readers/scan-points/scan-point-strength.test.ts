import { expect, test } from 'vitest'
import { problemsIn } from '../../../../parts/form/checks.ts'
import { strengthBody, strengthChecks, strengthText, typedOf } from './scan-point-strength.ts'

test('what is not set is not shown', () => {
  expect(strengthText({ minimum: null, offset: 0 })).toBe('')
  expect(strengthText({ minimum: -80, offset: -6 })).toBe('at least −80 dBm, 6 dB taken off')
  expect(strengthText({ minimum: null, offset: 3 })).toBe('3 dB added')
  expect(strengthText({ minimum: 0, offset: 0 })).toBe('at least 0 dBm')
})

test('what is typed is sent; empty means nothing of its own', () => {
  expect(strengthBody(typedOf({ minimum: -80, offset: -6 }))).toEqual({
    min_rssi_dbm: -80,
    rssi_offset_db: -6,
  })
  expect(strengthBody({ minimum: '', offset: '' })).toEqual({ min_rssi_dbm: null, rssi_offset_db: 0 })
})

test('values beyond the limits of the API are problems', () => {
  expect(problemsIn(strengthChecks({ minimum: '-120', offset: '40' }))).toEqual({})
  expect(problemsIn(strengthChecks({ minimum: '-121', offset: '-' }))).toEqual({
    min_rssi_dbm: 'Enter a whole number from −120 to 0.',
    rssi_offset_db: 'Enter a whole number from −40 to 40.',
  })
})
