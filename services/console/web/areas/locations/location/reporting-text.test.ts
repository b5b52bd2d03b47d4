import { expect, test } from 'vitest'
import { reportingText } from './reporting-text.ts'

const antennas = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ reader: 'Dock reader', antenna: i + 1 }))

test('D18.5 the antennas that report at a location are counted and named', () => {
  expect(reportingText([], false)).toBeUndefined()
  expect(reportingText(antennas(1), false)).toBe(
    '1 antenna reports here: Dock reader, antenna 1. Its reads will move no asset, and its reader will show a problem. Give the antenna another location first.',
  )
  expect(reportingText(antennas(2), false)).toMatch(
    /^2 antennas report here: Dock reader, antenna 1; Dock reader, antenna 2\. Their reads/,
  )
})

test('D18.5 of many antennas some are named', () => {
  expect(reportingText(antennas(11), false)).toMatch(/^11 antennas report here: .*antenna 10 and others\. /)
  expect(reportingText(antennas(1), true)).toMatch(
    /^More than 1 antennas report here: Dock reader, antenna 1 and others\. Their/,
  )
})
