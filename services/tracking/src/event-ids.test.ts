import { expect, test } from 'vitest'
import { deliveryId } from './event-ids.ts'

const move = { orgId: 1, assetId: 2, minute: 3, from: 4, to: 5, kind: 'scan', observedAtMs: 180_001 } as const

test('D8.10 a movement always has the same id, a UUID of version 5', () => {
  expect(deliveryId(move)).toBe(deliveryId({ ...move }))
  expect(deliveryId(move)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  // As text: a change of namespace or name would send every old movement again.
  expect(deliveryId(move)).toBe('cf6f5249-0fd9-59de-b90b-6aa6ae0620ec')
})

test('D18.6 saves of one minute have ids of their own; reads, one', () => {
  const save = { ...move, kind: 'save' } as const
  const later = { observedAtMs: 180_002 }
  expect(deliveryId({ ...save, ...later })).not.toBe(deliveryId(save))
  expect(deliveryId({ ...move, ...later })).toBe(deliveryId(move))
})

test.for([
  { ...move, orgId: 9 },
  { ...move, assetId: 9 },
  { ...move, minute: 9 },
  { ...move, from: null },
  { ...move, to: 9 },
  { ...move, kind: 'save' as const },
])('another movement has another id: %o', (other) => {
  expect(deliveryId(other)).not.toBe(deliveryId(move))
})
