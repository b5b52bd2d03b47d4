import { expect, test } from 'vitest'
import { BROKER_RELEASE, isAtLeast, isSameLine, OLDEST_BROKER } from './broker-version.ts'

test.for([
  ['2.12.7', true],
  ['2.12.8-RC.1', true],
  ['2.13.0', true],
  ['3.0.0', true],
  ['2.12.6', false],
  ['2.11.99', false],
  ['2.10.27', false],
  ['1.99.99', false],
  ['', false],
] as const)('nats-server %s is 2.12.7 or newer: %s', ([version, expected]) => {
  expect(isAtLeast(version, '2.12.7')).toBe(expected)
})

test.for([
  ['2.15.1', true],
  ['2.15.12', true],
  ['2.16.0', false],
  ['3.15.1', false],
  ['', false],
] as const)('%s differs from 2.15.1 only by fixes: %s', ([version, expected]) => {
  expect(isSameLine(version, '2.15.1')).toBe(expected)
})

test('services accept the release that we run', () => {
  expect(isAtLeast(BROKER_RELEASE, OLDEST_BROKER)).toBe(true)
})
