import { parseArgs } from 'node:util'
import { DEFAULT_RULES, type PlacementRules } from '../../src/positions/rules.ts'
import { judge, sum, type Score } from './judge.ts'
import { listen, randomOf, rest, route, walk, type Beacon } from './rooms.ts'

export const POSITIONS_HELP = `pnpm bench positions [flags]  judge the zone decision: simulated beacons in four rooms, with known truth

  --beacons N       that walk, and as many that rest, 1 to 1000          default 50
  --hours N         simulated, 1 to 48                                   default 24
  --noise N         standard deviation of a read in dB, 0 to 20          default 5
  --seed N          of the random numbers                                default 7
  --passages NAME   carry or next_observation                            default carry
`

const SECONDS_PER_HOUR = 3_600
const MARGINS = [3, 6, 9, 12]
const DELAYS = [60, 120, 300]

type Settings = {
  beacons: number
  hours: number
  noise: number
  seed: number
  passages: PlacementRules['passages']
}

function readSettings(args: string[]): Settings {
  const text = { type: 'string' } as const
  const options = { beacons: text, hours: text, noise: text, seed: text, passages: text }
  const { values } = parseArgs({ args, options })
  const number = (
    name: 'beacons' | 'hours' | 'noise' | 'seed',
    least: number,
    most: number,
    usual: number,
  ) => {
    const value = Number(values[name] ?? usual)
    if (!(value >= least && value <= most)) throw new Error(`--${name} must be ${least} to ${most}`)
    return value
  }
  const { passages = 'carry' } = values
  if (passages !== 'carry' && passages !== 'next_observation')
    throw new Error('--passages must be carry or next_observation')
  return {
    beacons: Math.floor(number('beacons', 1, 1_000, 50)),
    hours: number('hours', 1, 48, 24),
    noise: number('noise', 0, 20, 5),
    seed: Math.floor(number('seed', 0, 2 ** 31, 7)),
    passages,
  }
}

/** Shows how often each margin and delay names the wrong room, as a table. True if the proposed one keeps its promises. */
export async function benchPositions(args: string[], say: (text: string) => void): Promise<boolean> {
  const settings = readSettings(args)
  const { beacons, hours, noise, seed, passages } = settings
  const seconds = hours * SECONDS_PER_HOUR
  const random = randomOf(seed)
  const some = (stays: () => Beacon['stays'], length = seconds) =>
    Array.from({ length: beacons }, () => listen(random, stays(), length, noise))
  const walking = some(() => walk(random, seconds))
  const resting = some(() => rest(random))
  say(
    `${beacons} beacons that walk and ${beacons} that rest, ${hours} h, noise ${noise} dB, seed ${seed}, passages: ${passages}\n\n`,
  )
  say(
    line([
      'margin',
      'delay',
      'wrong',
      'movements',
      'walks',
      'missed',
      'late p50',
      'p95',
      'at rest: wrong',
      'movements/h',
    ]),
  )
  const show = async (rules: PlacementRules, name: readonly string[]) => {
    await new Promise((resolve) => setImmediate(resolve)) // prints row by row
    const score = (all: readonly Beacon[]) => sum(all.map((beacon) => judge(beacon, seconds, rules)))
    const [moving, still] = [score(walking), score(resting)]
    say(line([...name, ...cells(moving), percent(still), (still.movements / (beacons * hours)).toFixed(2)]))
  }
  await show({ ...DEFAULT_RULES, passages }, ['off', ''])
  for (const marginDb of MARGINS)
    for (const exitDelaySeconds of DELAYS)
      await show({ ...DEFAULT_RULES, passages, marginDb, exitDelaySeconds }, [
        `${marginDb} dB`,
        `${exitDelaySeconds} s`,
      ])
  return promises(random, settings, say)
}

/** What margin 6 and delay 120 promise: a beacon at rest stays, and one that walks through three rooms is in each in time. */
function promises(random: () => number, { noise, passages }: Settings, say: (text: string) => void): boolean {
  const rules = { ...DEFAULT_RULES, passages, marginDb: 6, exitDelaySeconds: 120 }
  const RUNS = 100
  const runs = (stays: () => Beacon['stays'], seconds: number) =>
    Array.from({ length: RUNS }, () => judge(listen(random, stays(), seconds, noise), seconds, rules))
  const still = runs(() => rest(random), SECONDS_PER_HOUR)
  const atMostOne = still.filter(({ movements }) => movements <= 1).length
  const walks = runs(() => route(random, [0, 1, 3], 600), 1_800)
  const two = walks.filter(({ movements }) => movements === 2).length
  const delays = sum(walks).delays
  const inTime = delays.filter((delay) => delay <= 65).length
  say(`\nMargin 6 dB, delay 120 s\n`)
  say(`  at rest for an hour, at most one movement   ${atMostOne} of ${RUNS}\n`)
  say(`  through three rooms, exactly two movements  ${two} of ${RUNS}\n`)
  say(`  of their walks, at most 65 s late           ${inTime} of ${2 * RUNS}\n`)
  return atMostOne >= 0.9 * RUNS && inTime >= 0.95 * 2 * RUNS
}

const WIDTHS = [7, 6, 7, 10, 7, 7, 9, 6, 15, 12]
const line = (texts: readonly string[]) =>
  `${texts.map((text, i) => text.padStart(WIDTHS[i] ?? 0)).join('')}\n`

const percent = ({ wrongMinutes, minutes }: Score) => `${((100 * wrongMinutes) / minutes).toFixed(1)} %`

function cells(score: Score): string[] {
  const sorted = score.delays.toSorted((a, b) => a - b)
  const quantile = (share: number) => `${Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)} s`
  const { movements, walks, missedWalks } = score
  return [
    percent(score),
    String(movements),
    String(walks),
    String(missedWalks),
    quantile(0.5),
    quantile(0.95),
  ]
}
