import { fc, limits } from '@whereabouts/testing/fuzz'
import { expect } from 'vitest'
import { creations, read, write, type Choice } from './choices.ts'
import { finalReads } from './final-reads.ts'
import { test, type Real } from './model.fixture.ts'
import { describe, type Operation } from './operations.ts'
import { outboxProblems } from './outbox.ts'
import { resolve } from './resolve.ts'
import { step } from './step.ts'
import type { World } from './world.ts'

type System = { real: Real; log: string[] }

async function check(world: World, { real, log }: System, operation: Operation): Promise<void> {
  const reply = await real.send(operation)
  log.push(describe(operation, reply))
  expect(step(world, operation, reply), `\n  ${log.join('\n  ')}\n`).toEqual([])
}

/** One request. Its content depends on earlier replies, so a failure prints the log. */
class Act implements fc.AsyncCommand<World, System> {
  readonly choice: Choice
  readonly check = () => true
  readonly run = (world: World, system: System) => check(world, system, resolve(world, this.choice))
  readonly toString = () => this.choice.do

  constructor(choice: Choice) {
    this.choice = choice
  }
}

const commands = fc.commands(
  [write, write, read].map((choice) => choice.map((chosen) => new Act(chosen))),
  { maxCommands: 60, size: 'max' },
)

const SORTS = ['external_key', '-name', 'updated_at']

test('D4 D5 D6 D7 D13.1 replies and events of random requests of two organizations follow the contract', async ({
  begin,
}) => {
  const property = fc.asyncProperty(creations, commands, async (first, chosen) => {
    const { world, real } = begin()
    const system = { real, log: [] }
    for (const choice of first) await check(world, system, resolve(world, choice))
    await fc.asyncModelRun(() => ({ model: world, real: system }), chosen)
    for (const operation of finalReads(world, SORTS)) await check(world, system, operation)
    for (const [i, org] of world.orgs.entries())
      expect(outboxProblems(org, await real.takeOutbox(i))).toEqual([])
  })
  await fc.assert(property, limits(12, 30_000))
})
