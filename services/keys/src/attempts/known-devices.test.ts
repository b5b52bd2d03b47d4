import { randomBytes } from 'node:crypto'
import { fakeClock } from '@whereabouts/testing/clock'
import { expect, test } from 'vitest'
import { createKnownDevices } from './known-devices.ts'

const ada = { id: 7, password_hash: randomBytes(32) }
const secret = randomBytes(32)
const DAY_MS = 86_400_000

test('a device is known for 30 days after a sign-in', () => {
  const clock = fakeClock()
  const devices = createKnownDevices({ secret, now: clock.now })
  const token = devices.tokenFor(ada)
  expect(token).toMatch(/^[\w.-]+$/)
  clock.advance(30 * DAY_MS - 1_000)
  expect(devices.isKnown(token, ada)).toBe(true)
  clock.advance(1_000)
  expect(devices.isKnown(token, ada)).toBe(false)
})

test('only to that account, only until its password changes, and only where it was made', () => {
  const devices = createKnownDevices({ secret, now: Date.now })
  const token = devices.tokenFor(ada)
  expect(devices.isKnown(token, { ...ada, id: 8 })).toBe(false)
  expect(devices.isKnown(token, { ...ada, password_hash: randomBytes(32) })).toBe(false)
  const elsewhere = createKnownDevices({ secret: randomBytes(32), now: Date.now })
  expect(elsewhere.isKnown(token, ada)).toBe(false)
})

test('what was changed or made up is unknown', () => {
  const devices = createKnownDevices({ secret, now: Date.now })
  const [until = '', mac = ''] = devices.tokenFor(ada).split('.')
  const made = [
    `${Number(until) + 1}.${mac}`,
    `${until}.${mac}.`,
    `${until}.`,
    `${until}.${mac}A`,
    `0${until}.${mac}`,
  ]
  for (const token of [...made, mac, '', '.', `999999999999.${'A'.repeat(43)}`, `1e9.${mac}`])
    expect([token, devices.isKnown(token, ada)]).toEqual([token, false])
})
