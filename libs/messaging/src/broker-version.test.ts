import { expect, test } from 'vitest'
import { isSupportedVersion } from './connection.ts'

test.for([
  ['2.10.27', true],
  ['2.10.28-RC.1', true],
  ['2.11.0', true],
  ['3.0.0', true],
  ['2.10.26', false],
  ['2.9.99', false],
  ['1.99.99', false],
  ['', false],
] as const)('nats-server %s is supported: %s', ([version, supported]) => {
  expect(isSupportedVersion(version)).toBe(supported)
})
