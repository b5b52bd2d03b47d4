import { fc, limits } from '@whereabouts/testing/fuzz'
import { expect } from 'vitest'
import { creations, read, write, type Choice } from './choices.ts'
import { explain, type Exchange } from './linearization.ts'
import { test, type Real } from './model.fixture.ts'
import type { Operation } from './operations.ts'
import { outboxProblems } from './outbox.ts'
import { resolve } from './resolve.ts'
import { step } from './step.ts'
import type { World } from './world.ts'

const together = fc.oneof({ weight: 4, arbitrary: write }, { weight: 1, arbitrary: read })

/** A few resources, then rounds of simultaneous requests. */
const scenes = fc.record({
  first: creations,
  rounds: fc.array(fc.array(together, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
})

async function inTurn(world: World, real: Real, choices: readonly Choice[]): Promise<void> {
  for (const choice of choices) {
    const operation = resolve(world, choice)
    expect(step(world, operation, await real.send(operation))).toEqual([])
  }
}

const atOnce = (real: Real, operations: readonly Operation[]): Promise<Exchange[]> =>
  Promise.all(operations.map(async (operation) => ({ operation, reply: await real.send(operation) })))

test('some order of simultaneous requests explains all replies and the rows afterwards', async ({
  begin,
}) => {
  const property = fc.asyncProperty(scenes, async ({ first, rounds }) => {
    const { world: beginning, real } = begin()
    let world = beginning
    await inTurn(world, real, first)
    for (const round of rounds) {
      const exchanges = await atOnce(
        real,
        round.map((choice) => resolve(world, choice)),
      )
      const after = await explain(world, exchanges, real)
      if ('problem' in after) throw new Error(after.problem)
      world = after.world
    }
    for (const [i, org] of world.orgs.entries())
      expect(outboxProblems(org, await real.takeOutbox(i), true)).toEqual([])
  })
  await fc.assert(property, limits(12, 30_000))
})
