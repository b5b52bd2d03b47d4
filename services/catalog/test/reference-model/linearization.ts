import { finalReads } from './final-reads.ts'
import type { Real } from './model.fixture.ts'
import { describe, requestOf, type Answer, type Operation } from './operations.ts'
import { step } from './step.ts'
import type { World } from './world.ts'

export type Exchange = { operation: Operation; answer: Answer }

type Read = (operation: Operation) => Promise<Answer>

/** `world`: what is left. `problem`: where the order that explained most fails. */
export type Explanation = { world: World } | { problem: string }

/**
 * The world after requests that ran at the same time: one in which they ran one after the other, in some order that
 * explains each answer and all that can be read afterwards. Without such an order, what is wrong.
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

/** Orders by time are not looked at: instants are taken before the locks that decide who comes first. */
async function replay(world: World, order: readonly Exchange[], read: Read) {
  let explained = 0
  for (const { operation, answer } of order) {
    const problems = step(world, operation, answer)
    if (problems.length > 0)
      return { explained, problem: `${describe(operation, answer)}: ${problems.join()}` }
    explained += 1
  }
  for (const operation of finalReads(world, ['external_key'])) {
    const answer = await read(operation)
    const problems = step(world, operation, answer)
    if (problems.length > 0)
      return { explained, problem: `${describe(operation, answer)}: ${problems.join()}` }
  }
  return { world: { ...world, isRacing: false } }
}

function remembering(real: Pick<Real, 'send'>): Read {
  const answers = new Map<string, Promise<Answer>>()
  return (operation) => {
    const name = `${operation.org} ${requestOf(operation).path}`
    const known = answers.get(name) ?? real.send(operation)
    answers.set(name, known)
    return known
  }
}

function permutations<T>(list: readonly T[]): T[][] {
  if (list.length === 0) return [[]]
  return list.flatMap((first, i) => permutations(list.toSpliced(i, 1)).map((rest) => [first].concat(rest)))
}

const report = (exchanges: readonly Exchange[]): string =>
  exchanges.map(({ operation, answer }) => `\n  ${describe(operation, answer)}`).join('')
