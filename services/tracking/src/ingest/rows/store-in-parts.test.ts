import { expect, test } from 'vitest'
import type { Observation } from '../../positions/observation.ts'
import { storeInParts, type StoredParts } from './store-in-parts.ts'
import { readBy } from '../../../test/read-by.ts'

const observation = (assetId: number, minute: number): Observation => ({
  orgId: 1,
  assetId,
  minute,
  observedAtMs: minute * 60_000,
  locationId: 7,
  ...readBy('gate'),
})

/** Two minutes of each asset. */
const batch = (assets: number) =>
  [0, 1].flatMap((minute) => Array.from({ length: assets }, (_, n) => observation(n, minute)))

const countRows = async (part: readonly Observation[]): Promise<StoredParts> => ({
  rows: part.length,
  movements: 1,
  positions: part.map((row) => ({ ...row, dwellStartedAtMs: null, evidence: null })),
  outvoted: part.slice(0, 1),
})

test('all rows of an asset are in one part, in their order, and none is missing', async () => {
  const parts: (readonly Observation[])[] = []
  const observations = batch(3_000)
  const stored = await storeInParts(observations, (part) => {
    parts.push(part)
    return countRows(part)
  })
  expect(parts.length).toBeGreaterThan(1)
  expect(stored).toMatchObject({ rows: 6_000, movements: parts.length })
  expect([stored.positions.length, stored.outvoted.length]).toEqual([6_000, parts.length])
  expect(new Set(parts.flat())).toEqual(new Set(observations))
  for (const part of parts) {
    const inPart = new Set(part)
    expect(part).toEqual(observations.filter((o) => inPart.has(o)))
    const others = new Set(parts.filter((other) => other !== part).flatMap((o) => o.map((x) => x.assetId)))
    expect(part.filter(({ assetId }) => others.has(assetId))).toEqual([])
  }
})

test('a small batch is one part', async () => {
  const parts: number[] = []
  await storeInParts(batch(10), (part) => {
    parts.push(part.length)
    return countRows(part)
  })
  expect(parts).toEqual([20])
})

test('if a part fails, the batch fails, after the other parts have ended', async () => {
  let isOtherOver = false
  const storing = storeInParts(batch(3_000), async (part) => {
    if (part.some(({ assetId }) => assetId === 0)) throw new Error('away')
    await new Promise((resolve) => setImmediate(resolve))
    isOtherOver = true
    return countRows(part)
  })
  await expect(storing).rejects.toThrow('away')
  expect(isOtherOver).toBe(true)
})
