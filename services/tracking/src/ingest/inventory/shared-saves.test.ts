import { MAX_ASSET_KEYS } from '@whereabouts/contracts/messages/catalog-lookup'
import { expect, test } from 'vitest'
import { countSharing } from './shared-saves.ts'

const saves = (count: number, assets: number) =>
  Array.from({ length: count }, (_, i) => ({
    assetKeys: Array.from({ length: assets }, (_key, j) => `A-${i}-${j}`),
    locationKey: 'DOCK',
  }))

test.for([
  { name: 'one', waiting: saves(1, 20), want: 1 },
  { name: 'all, if they name different assets', waiting: saves(30, 2), want: 30 },
  { name: 'at most 64', waiting: saves(100, 1), want: 64 },
  { name: 'as many as one request to catalog has room for', waiting: saves(64, 20), want: 20 },
  {
    name: 'those before one that names an asset again',
    waiting: [...saves(3, 2), { assetKeys: ['NEW', 'A-1-1'], locationKey: 'SHELF' }, ...saves(5, 1)],
    want: 3,
  },
])('ADR 70 saves that share a transaction: $name', ({ waiting, want }) => {
  expect(countSharing(waiting)).toBe(want)
  const keys = waiting.slice(0, want).flatMap((save) => save.assetKeys)
  expect(keys.length).toBeLessThan(MAX_ASSET_KEYS)
})
