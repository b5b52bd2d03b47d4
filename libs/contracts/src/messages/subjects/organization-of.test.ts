import { expect, test } from 'vitest'
import { organizationOf } from './organization-of.ts'

test.for([
  ['scans.7.dock-1.canonical', 7],
  ['scans.replayed.7.dock-1.canonical', 7],
  ['$MQTT.msgs.scans.7.dock-1.moko', 7],
  ['placements.7', 7],
  ['catalog.asset.7.9', 7],
  ['events.asset-moved.7', 7],
  ['keys.org.7', 7],
  ['scans.70', 70],
  ['keys.key.5f0c7a52-3f0e-4f7e-9d55-0b2f3d1c9a77', undefined],
  ['scans.seven.dock-1.canonical', undefined],
  ['scans.seven.9.canonical', undefined],
  ['scans.07.dock-1.canonical', undefined],
  ['', undefined],
] as const)('the organization of %s is %s', ([subject, org]) => {
  expect(organizationOf(subject)).toBe(org)
})
