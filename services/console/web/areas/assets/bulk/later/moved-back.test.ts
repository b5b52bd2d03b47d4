import { expect, test } from 'vitest'
import type { Asset } from '../../assets/asset-fields.ts'
import { backOf } from './moved-back.ts'

const assets = [1, 2, 3, 4].map((id) => ({ id, external_key: `A-${id}` }) as Asset)

test('assets go back to where each was, those of one location together', () => {
  const { moves, without } = backOf(assets, [
    { asset_id: 1, location: { external_key: 'DOCK' } },
    { asset_id: 2, location: { external_key: 'HALL' } },
    { asset_id: 3, location: { external_key: 'DOCK' } },
    { asset_id: 4, location: null }, // its location was deleted
  ])
  expect([...moves].map(([key, some]) => [key, some.map(({ id }) => id)])).toEqual([
    ['DOCK', [1, 3]],
    ['HALL', [2]],
  ])
  expect(without).toBe(1)
})

test('an asset that was never scanned has nowhere to go back to', () =>
  expect(backOf(assets, [])).toEqual({ moves: new Map(), without: 4 }))
