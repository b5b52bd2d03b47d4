import { finalReads } from './final-reads.ts'
import type { Real } from './model.fixture.ts'
import { describe, requestOf, type Reply, type Operation } from './operations.ts'
import { step } from './step.ts'
import type { World } from './world.ts'

export type Exchange = { operation: Operation; reply: Reply }

type Read = (operation: Operation) => Promise<Reply>

/** `world`: the state afterwards. `problem`: where the order that explains the most replies fails. */
export type Explanation = { world: World } | { problem: string }

/**
 * The world after simultaneous requests. Finds an order in which the requests, one after the other, explain each reply
 * and everything that can be read afterwards. Returns a problem if there is none.
 */
export async function explain(
  before: World,
  exchanges: readonly Exchange[],
  real: Pick<Real, 'send'>,
): Promise<Explanation> {
  const read = remembering(real)
  let closest = { explained: -1, problem: '' }
  for (const order of permutations(exchanges)) {
    const outcome = await replay({ ...structuredClone(before), isRacing: true }, order, read)
    if ('world' in outcome) return outcome
    if (outcome.explained > closest.explained) closest = outcome
  }
  return { problem: `no order explains${report(exchanges)}\n  ${closest.problem}` }
}

/** Lists sorted by time are not read: instants are taken before the locks that decide the order. */
async function replay(world: World, order: readonly Exchange[], read: Read) {
  let explained = 0
  for (const { operation, reply } of order) {
    const problems = step(world, operation, reply)
    if (problems.length > 0)
      return { explained, problem: `${describe(operation, reply)}: ${problems.join()}` }
    explained += 1
  }
  for (const operation of finalReads(world, ['external_key'])) {
    const reply = await read(operation)
    const problems = step(world, operation, reply)
    if (problems.length > 0)
      return { explained, problem: `${describe(operation, reply)}: ${problems.join()}` }
  }
  return { world: { ...world, isRacing: false } }
}

function remembering(real: Pick<Real, 'send'>): Read {
  const replies = new Map<string, Promise<Reply>>()
  return (operation) => {
    const name = `${operation.org} ${requestOf(operation).path}`
    const known = replies.get(name) ?? real.send(operation)
    replies.set(name, known)
    return known
  }
}

function permutations<T>(list: readonly T[]): T[][] {
  if (list.length === 0) return [[]]
  return list.flatMap((first, i) => permutations(list.toSpliced(i, 1)).map((rest) => [first].concat(rest)))
}

const report = (exchanges: readonly Exchange[]): string =>
  exchanges.map(({ operation, reply }) => `\n  ${describe(operation, reply)}`).join('')
