import { fc, limits } from '@whereabouts/testing/fuzz'
import { expect } from 'vitest'
import { test } from '../tracking.fixture.ts'
import { choices } from './choices.ts'
import { openGate } from './gate.fixture.ts'
import { apply, newWorld } from './reference.ts'

test('D8.1 D8.5 D8.8 each row says what decided it, after any reads, saves, assignments and renames', async ({
  tracking,
}) => {
  let runs = 0
  const property = fc.asyncProperty(choices, async (chosen) => {
    runs += 1
    Object.assign(tracking.catalog, { assets: [], locations: [], tags: [] })
    const world = newWorld()
    const gate = await openGate(tracking, runs, world)
    for (const choice of chosen) {
      await gate.take(choice)
      apply(world, choice)
    }
    expect(await gate.said()).toEqual(gate.expected())
  })
  await fc.assert(property, limits(15, 10_000))
  expect(runs).toBeGreaterThan(3)
})
