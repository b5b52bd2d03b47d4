import { inspect, isDeepStrictEqual } from 'node:util'
import { fc, limits } from '@whereabouts/testing/fuzz'
import { expect } from 'vitest'
import { test } from '../tracking.fixture.ts'
import { ASSETS, choices, REPLICAS, rules, type Choice, type ChosenRead, type Writing } from './choices.ts'
import { expectedPicture, type Picture } from './picture.ts'
import { openWarehouse, startReplicas, type Warehouse } from './real.fixture.ts'
import { carry, newWorld, observe, save, type World } from './reference.ts'

/** A whole minute of the recent past. The instants of a run count from here. */
const ZERO = Math.floor(Date.now() / 60_000) * 60_000 - 3_600_000

/** One run: the real service, the states that it may be in, and the messages so far. */
class Run {
  worlds: World[]
  readonly #real: Warehouse
  readonly #expected: (world: World) => Picture
  readonly #sent: ChosenRead[][] = []

  constructor(real: Warehouse, world: World, expected: (world: World) => Picture) {
    this.worlds = [world]
    this.#real = real
    this.#expected = expected
  }

  async take(choice: Choice): Promise<void> {
    if (choice.do === 'hear') this.#hear(choice.replica)
    else if (choice.do === 'delete') this.#delete(choice.what, choice.which)
    else if (choice.do === 'carry') await this.#carry(choice.replicas)
    else await this.#write(choice.do === 'together' ? choice.writings : [choice])
  }

  /** Operations that run at once must have the same result as in some order, one after the other. */
  async #write(writings: readonly Writing[]): Promise<void> {
    const meant = writings.map((writing) => this.#meant(writing))
    const answers = await Promise.all(meant.map((one) => one.real()))
    const possible = this.worlds.flatMap((world) =>
      permutations([...meant.keys()]).flatMap((order) => {
        const after = copyOf(world)
        const fits = order.every((i) => meant[i]?.model(after) === answers[i])
        return fits ? [after] : []
      }),
    )
    await this.#compare(possible)
  }

  /** Keeps the worlds that look like the stored rows. */
  async #compare(possible: readonly World[]): Promise<void> {
    const seen = await this.#real.picture()
    const right = possible.filter((world) => isDeepStrictEqual(this.#expected(world), seen))
    if (right.length === 0) expect(seen).toEqual(nearest(seen, possible.map(this.#expected)))
    this.worlds = [...new Map(right.map((world) => [inspect(world, { depth: null }), world])).values()]
  }

  #meant(writing: Writing): { real(): Promise<boolean>; model(world: World): boolean } {
    const { replica } = writing
    if (writing.do === 'save')
      return { real: () => this.#real.save(writing), model: (world) => save(world, replica, writing) }
    const messages = writing.messages.flatMap((message) => {
      if ('reads' in message) this.#sent.push(message.reads)
      const reads = 'reads' in message ? message.reads : this.#sent[message.again % (this.#sent.length || 1)]
      return reads ? [reads] : []
    })
    const reads = messages
      .flat()
      .map(({ antenna, ...read }) => Object.assign({}, read, { place: antenna === 0 ? null : antenna - 1 }))
    return {
      real: () => this.#real.ingest(replica, messages).then(() => true),
      model: (world) => {
        observe(world, replica, reads)
        return true
      },
    }
  }

  /** Any one of them does it. Names in the events are as that one knows them. */
  async #carry(replicas: readonly number[]): Promise<void> {
    await this.#real.carry(replicas)
    await this.#compare(
      this.worlds.flatMap((world) =>
        replicas.map((replica) => {
          const after = copyOf(world)
          carry(after, replica)
          return after
        }),
      ),
    )
  }

  #hear(replica: number): void {
    this.#real.hear(replica)
    for (const world of this.worlds) world.heard[replica] = structuredClone(world.deleted)
  }

  #delete(what: 'asset' | 'place', which: number): void {
    this.#real.delete(what, which)
    for (const { deleted } of this.worlds) deleted[what === 'asset' ? 'assets' : 'places'].push(which)
  }
}

/** The one with the fewest lines that differ, so that a failure is short. */
function nearest(seen: Picture, possible: readonly Picture[]): Picture | undefined {
  const linesOf = (picture: Picture) => Object.values(picture).flat()
  const actual = new Set(linesOf(seen))
  const distance = (picture: Picture) => linesOf(picture).filter((line) => !actual.has(line)).length
  return possible.toSorted((a, b) => distance(a) - distance(b))[0]
}

/** Structured cloning would lose the class of the memories. */
function copyOf({ memories, ...world }: World): World {
  return { ...structuredClone(world), memories: memories.map((memory) => memory.copy()) }
}

/** Every order of the items. */
const permutations = (items: readonly number[]): number[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((last) =>
        permutations(items.filter((item) => item !== last)).map((rest) => rest.concat(last)),
      )

test('D8.1 D8.5 D8.7 D8.10 D18.3 D18.7 random reads, saves, deletions, redeliveries and passages on three replicas at once follow the rules', async ({
  tracking,
}) => {
  const { replicas, stop } = await startReplicas(tracking, ZERO)
  let runs = 0
  const property = fc.asyncProperty(choices, rules, async (chosen, rulesOfRun) => {
    runs += 1
    const orgId = runs
    Object.assign(tracking.catalog, { assets: [], locations: [], tags: [], requests: [] })
    const real = await openWarehouse(tracking, replicas, orgId, { zero: ZERO, rules: rulesOfRun })
    const run = new Run(real, newWorld(ASSETS, REPLICAS, rulesOfRun), (world) =>
      expectedPicture(world, orgId, { ...real.things, zero: ZERO }),
    )
    for (const choice of chosen) await run.take(choice)
  })
  await fc.assert(property, limits(8, 30_000))
  await stop()
  expect(runs).toBeGreaterThan(3)
})
