import type { AssetMoved } from '@whereabouts/contracts/messages/asset-moved'
import { expect, test } from 'vitest'
import { payloadOf } from './payload.ts'

// The keys have another order than in the contract, and there are more. The bytes must not depend on either.
const moved = {
  kind: 'scan',
  to_location: { name: 'Dock "1"', id: 22, extra: true },
  asset: { name: 'Förderband 7', id: 11, external_key: 'ASSET-0007', tag: 'E280' },
  from_location: { name: 'Yard', id: 21 },
  occurred_at: '2026-11-21T10:00:59.987654Z',
  org_id: 7,
  delivery_id: '6f1c7c52-8f0e-5d55-9d0c-3a1f0a3c9f10',
} as AssetMoved

test('the body matches the contract byte for byte', () => {
  expect(payloadOf('asset.moved', moved)?.body.toString()).toBe(
    '{"event":"asset.moved","delivery_id":"6f1c7c52-8f0e-5d55-9d0c-3a1f0a3c9f10",' +
      '"occurred_at":"2026-11-21T10:00:59.987Z","data":{"asset":{"id":11,"external_key":"ASSET-0007",' +
      '"name":"Förderband 7"},"from_location":{"id":21,"name":"Yard"},"to_location":{"id":22,"name":"Dock \\"1\\""}}}',
  )
})

test('the first movement of an asset has from_location null', () => {
  const first: AssetMoved = { ...moved, from_location: null }
  const body = payloadOf('asset.moved', first)?.body.toString()
  expect(body).toContain('"from_location":null,')
})

test('D11.2 the signed timestamp is the Unix second of occurred_at, rounded down', () => {
  expect(payloadOf('asset.moved', moved)?.timestamp).toBe('1795255259')
  expect(
    payloadOf('asset.moved', { ...moved, occurred_at: '2026-11-21T11:00:59.999+01:00' })?.timestamp,
  ).toBe('1795255259')
})

test('an occurred_at that is not a timestamp makes no payload', () => {
  expect(payloadOf('asset.moved', { ...moved, occurred_at: 'yesterday' })).toBeUndefined()
})
