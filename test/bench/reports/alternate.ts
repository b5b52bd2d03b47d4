import { median, quantile } from '../load/figures.ts'
import type { Question, Way } from './ways.ts'

/** The result of a way for one question: milliseconds alone and together, and requests per second together. */
type Figures = { p50: number; p99: number; together: { p50: number; p99: number }; perSecond: number }
export type Compared = {
  question: Question
  ways: Figures[]
  /** The first way's time ÷ that of each other: the median over the rounds. */ ratios: number[]
}

/** `alone`: one request at a time. `together`: one request at a time on each connection. */
export type Effort = {
  rounds: number
  aloneMs: number
  togetherMs: number
  fewest: number
  /** The data changes meanwhile, so the ways may return different rows. */
  isMoving?: boolean
}

type Round = { alone: number[]; together: number[]; perSecond: number }

/**
 * Asks a question in several ways in turn, so that a slow phase of the machine slows down all of them.
 * Each way comes with its connections.
 */
export async function alternate(
  question: Question,
  ways: readonly (readonly Way[])[],
  effort: Effort,
): Promise<Compared> {
  let asked = 0
  const next = () => question.ask(asked++)
  if (!effort.isMoving) await agree(question, ways)
  const results = ways.map((): Round[] => [])
  for (let round = 0; round <= effort.rounds; round += 1)
    for (const [i, connections] of ways.entries()) {
      const result = await oneRound(connections, next, effort)
      if (round > 0) results[i]?.push(result) // the first one is a warm-up
    }
  const medians = results.map((rounds) => rounds.map(({ alone }) => median(alone)))
  const [first = [], ...others] = medians
  return {
    question,
    ways: results.map(figuresOf),
    ratios: others.map((other) => median(first.map((ms, round) => ms / (other[round] ?? Number.NaN)))),
  }
}

/** The ways must do the same work: the same number of rows for the same question. */
async function agree({ name, ask }: Question, ways: readonly (readonly Way[])[]): Promise<void> {
  for (let i = 0; i < 3; i += 1) {
    const counts = await Promise.all(ways.map(async ([way]) => way?.ask(ask(i))))
    if (new Set(counts).size > 1) throw new Error(`${name}: the ways returned ${counts.join(' and ')} rows`)
  }
}

async function oneRound(
  ways: readonly Way[],
  next: () => ReturnType<Question['ask']>,
  effort: Effort,
): Promise<Round> {
  const alone: number[] = []
  const started = performance.now()
  while (performance.now() - started < effort.aloneMs || alone.length < effort.fewest) {
    const [question, at] = [next(), performance.now()]
    await ways[0]?.ask(question)
    alone.push(performance.now() - at)
  }
  const together: number[] = []
  const begun = performance.now()
  const loop = async (way: Way) => {
    while (performance.now() - begun < effort.togetherMs) {
      const at = performance.now()
      await way.ask(next())
      together.push(performance.now() - at)
    }
  }
  await Promise.all(ways.map(loop))
  return { alone, together, perSecond: (together.length * 1000) / (performance.now() - begun) }
}

const figuresOf = (rounds: readonly Round[]): Figures => ({
  p50: median(rounds.map(({ alone }) => median(alone))),
  p99: quantile(rounds.flatMap(({ alone }) => alone), 0.99), // oxfmt-ignore
  together: {
    p50: quantile(rounds.flatMap(({ together }) => together), 0.5), // oxfmt-ignore
    p99: quantile(rounds.flatMap(({ together }) => together), 0.99), // oxfmt-ignore
  },
  perSecond: median(rounds.map(({ perSecond }) => perSecond)),
})
