import { parseArgs } from 'node:util'

export const HELP = `pnpm campaign [options]    disturb a whole system under load, and check that nothing is lost, doubled or mixed up

  --minutes N         length of the load of all rounds (default 5)
  --seed S            seed of the first round; the next rounds have the next numbers (default: random)
  --round-minutes N   longest round, at most 10; each round has a new system (default 5)
  --every N           average seconds between two faults (default 8)
  --only I,J          only these faults of the plan, by number; one round
  --shrink            after a finding, repeat its round with fewer and fewer faults
  --plan              print the plan of each round and exit
  --help              print this

The same seed gives the same faults and the same choices of the load. The last line is the verdict. Exit codes: 0 nothing
was found, 1 findings, 2 wrong use or no verdict. Logs of rounds with findings or without a verdict are kept in .data/campaign/.
`

export type Options = {
  minutes: number
  seed: number
  roundMinutes: number
  everyMs: number
  only: readonly number[] | undefined
  shrinks: boolean
  printsPlan: boolean
}

/** Wrong use of the command. The message says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** `help`, or the options. Throws UsageError. */
export function readOptions(args: readonly string[], randomSeed: number): Options | 'help' {
  const { values } = parse(args)
  if (values.help) return 'help'
  const only = values.only?.split(',').map((text) => whole('--only', text, 0))
  const roundMinutes = number('--round-minutes', values['round-minutes'] ?? '5', 10)
  return {
    minutes: number('--minutes', values.minutes ?? '5', 1_440),
    seed: values.seed === undefined ? randomSeed : whole('--seed', values.seed, 1),
    roundMinutes,
    everyMs: number('--every', values.every ?? '8', 600) * 1_000,
    only,
    shrinks: values.shrink === true,
    printsPlan: values.plan === true,
  }
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = { minutes: text, seed: text, 'round-minutes': text, every: text, only: text, shrink: flag, plan: flag, help: { ...flag, short: 'h' } } as const // oxfmt-ignore
  try {
    return parseArgs({ args: [...args], options })
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

function number(name: string, text: string, most: number): number {
  const value = Number(text)
  if (text.trim() !== '' && value > 0 && value <= most) return value
  throw new UsageError(`${name} must be a number above 0 and at most ${most}, not "${text}".`)
}

function whole(name: string, text: string, least: number): number {
  if (/^\d{1,10}$/.test(text) && Number(text) >= least) return Number(text)
  throw new UsageError(`${name} takes whole numbers from ${least} on, not "${text}".`)
}

/** The rounds of a campaign: their seeds and lengths. */
export function roundsOf({
  minutes,
  seed,
  roundMinutes,
  only,
}: Options): { seed: number; minutes: number }[] {
  const count = only ? 1 : Math.max(1, Math.ceil(minutes / roundMinutes - 1e-9))
  return Array.from({ length: count }, (_, i) => ({
    seed: seed + i,
    minutes: Math.min(roundMinutes, minutes - i * roundMinutes),
  }))
}
