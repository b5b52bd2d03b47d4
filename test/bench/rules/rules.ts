import { connect, type NatsConnection } from 'nats'
import { asOwner } from '../load/database.ts'
import { ratioVerdict } from '../against/ratios.ts'
import { compareRates, inRounds } from '../against/rounds.ts'
import { withNow, type System } from '../against/systems.ts'
import { drain } from '../ingest/drain.ts'
import { publishNewMinutes, READS_PER_MESSAGE } from '../ingest/reads.ts'
import {
  announce,
  announceLocations,
  assetIdOf,
  configureReaders,
  locationIdOf,
  restartTracking,
} from '../ingest/warehouse.ts'
import { quantile, table } from '../load/figures.ts'
import { readFlags } from '../load/flags.ts'
import { atMost, verdictTable, type Verdict } from '../load/verdict.ts'
import { fillVisits, HALL, LOCATIONS, ORG, SHELF } from '../visits/fill.ts'
import { raise } from './raise.ts'
import { callerOf, makeRules, rulesOf } from './watch.ts'

export const RULES_HELP = `pnpm bench rules [flags]       ingest with and without rules, from a scan to its alert, and previews of a month

  --assets N        of each of two organizations, 1000 to 200000         default 100000
  --rules N         of one of them, each at another place, 1 to 200      default 50
  --minutes N       new rows of each asset in a round, 1 to 60           default 1
  --rounds N        of each organization, 1 to 20                        default 5
  --alerts N        that scans raise, 50 to 10000                        default 1000
  --per-second N    alerts, among ten times as many scans, 1 to 500      default 50
  --previewed N     assets that move six times a day, 100 to 20000       default 10000
  --days N          of history that a preview replays, 2 to 30           default 30
  --only NAME       measure only ingest, alerts or previews
`

const NUMBERS = {
  assets: [1_000, 200_000, 100_000],
  rules: [1, 200, 50],
  minutes: [1, 60, 1],
  rounds: [1, 20, 5],
  alerts: [50, 10_000, 1_000],
  'per-second': [1, 500, 50],
  previewed: [100, 20_000, 10_000],
  days: [2, 30, 30],
} as const

type Settings = Record<keyof typeof NUMBERS, number>
type Bench = { system: System; nc: NatsConnection; settings: Settings; say: (text: string) => void }
type Part = (bench: Bench) => Promise<Verdict[]>
const PARTS: Readonly<Record<string, Part>> = {
  ingest: compareIngest,
  alerts: measureAlerts,
  previews: measurePreviews,
}

const UNWATCHED = 101
const WATCHED = 102
/** Of a rule that names assets. */
const NAMED = 100
const ALERT_MS = 300
const PREVIEW_MS = 5_000
const LEAST_INGEST = 0.9
const ROWS_OF_DAY = 48
const DAY_MS = 86_400_000

/** Starts tracking on throwaway data, measures and prints tables. Resolves with true if every target was reached. */
export function benchRules(args: string[], say: (text: string) => void): Promise<boolean> {
  const { numbers: settings, only } = readFlags(args, NUMBERS, { only: { type: 'string' } })
  const parts = Object.entries(PARTS).filter(([name]) => only === undefined || name === only)
  if (parts.length === 0) throw new Error(`--only must be one of ${Object.keys(PARTS).join(', ')}`)
  return withNow({ services: ['catalog', 'tracking'], say }, async (system) => {
    const { urls, secrets } = system.stack
    const pass = secrets.nats.services_password
    const nc = await connect({ servers: urls.nats, user: 'services', pass })
    try {
      if (only !== 'previews') await prepare({ system, nc, settings, say })
      const verdicts: Verdict[] = []
      for (const [, part] of parts) verdicts.push(...(await part({ system, nc, settings, say })))
      say(`${verdictTable(verdicts)}\n`)
      return verdicts.every(({ reached }) => reached)
    } finally {
      await nc.close()
    }
  })
}

/** Two organizations that are alike, but that rules watch each place of one. */
async function prepare({ system: { stack }, nc, settings, say }: Bench): Promise<void> {
  const { assets, rules } = settings
  const orgs = [UNWATCHED, WATCHED]
  await configureReaders(stack, orgs, rules)
  await announce(nc, { orgs, assetsPerOrg: assets, antennas: rules })
  await restartTracking(stack)
  const places = Array.from({ length: rules }, (_, i) => locationIdOf(WATCHED, i + 1))
  const named = Array.from({ length: NAMED }, (_, n) => assetIdOf(WATCHED, n))
  await makeRules(await callerOf(stack, WATCHED), rulesOf(places, named))
  say(`${assets} assets and ${rules} places of each organization; ${rules} rules\n`)
}

/** Each asset is read once a minute, at the place where it was, or at the next one. */
async function compareIngest({ system, nc, settings, say }: Bench): Promise<Verdict[]> {
  const { assets, rules, minutes, rounds } = settings
  const names = { base: { ...system, name: 'without' }, now: { ...system, name: 'with' } }
  // Within the 24 hours for which a reader's own time counts.
  let fromMinute = Math.floor(Date.now() / 60_000) - 20 * 60
  const verdicts: Verdict[] = []
  for (const title of ['Rows', 'Movements']) {
    const start = fromMinute
    const step = title === 'Movements' ? 1 : 0
    const antennaOf = (minute: number, first: number) =>
      1 + ((first / READS_PER_MESSAGE + (minute - start) * step) % rules)
    const pairs = await inRounds({ base: UNWATCHED, now: WATCHED }, rounds, (org, round) => {
      const span = { fromMinute: start + round * minutes, minutes, antennaOf }
      return drain(system, nc, () => publishNewMinutes(nc, { orgs: [org], assetsPerOrg: assets }, span))
    })
    fromMinute += (rounds + 1) * minutes
    const count = Math.ceil(assets / READS_PER_MESSAGE) * READS_PER_MESSAGE * minutes
    compareRates(names, { title, unit: 'reads', count, pairs }, say)
    const ratios = pairs.map(({ base, now }) => base.seconds / now.seconds)
    verdicts.push(ratioVerdict(`${title}: time without rules ÷ with ${rules}`, ratios, LEAST_INGEST))
  }
  return verdicts
}

async function measureAlerts({ system: { stack }, nc, settings, say }: Bench): Promise<Verdict[]> {
  const { alerts, rules, assets } = settings
  const ids = Array.from({ length: alerts }, (_, n) => n)
  await makeRules(await callerOf(stack, WATCHED), [
    { name: 'Entered', kind: 'entered', scope: { location_ids: [locationIdOf(WATCHED, rules)] } },
  ])
  const sent = { org: WATCHED, assets, antenna: rules, elsewhere: 1, ids }
  const { toAlert, seconds } = await raise(nc, { ...sent, perSecond: settings['per-second'] })
  const shown = [0.5, 0.95, 0.99, 1].map((share) => quantile(toAlert, share).toFixed(0))
  const rate = Math.round((10 * alerts) / seconds)
  say(`\nMilliseconds from a scan to its alert in EVENTS, at ${rate} scans a second\n`)
  say(
    `${table([
      ['', 'p50', 'p95', 'p99', 'most'],
      [`${toAlert.length} alerts`, ...shown],
    ])}\n`,
  )
  return [atMost('scan to alert, p95', ALERT_MS, [quantile(toAlert, 0.95)])]
}

/** Each kind, at a place with its sub-locations or without, over all days. */
async function measurePreviews({ system: { stack }, nc, settings, say }: Bench): Promise<Verdict[]> {
  const { previewed: assets, days } = settings
  await announceLocations(nc, ORG, LOCATIONS)
  const filled = await asOwner(stack, 'tracking', (owner) =>
    fillVisits(owner, { assets, rows: assets * days * ROWS_OF_DAY, seconds: 1_200 }),
  )
  say(`${filled.rows} rows and ${filled.movements} movements of ${assets} assets and ${filled.days} days\n`)
  const ask = await callerOf(stack, ORG)
  const [hall, shelf] = [HALL, SHELF].map((id) => ({ location_ids: [id] }))
  const rules = {
    'entered a hall': { kind: 'entered', scope: hall },
    'left a hall': { kind: 'left', scope: hall },
    'stayed in a hall for 3 h': { kind: 'stayed_longer_than', scope: hall, params: { seconds: 10_800 } },
    'stayed at a shelf for 3 h': { kind: 'stayed_longer_than', scope: shelf, params: { seconds: 10_800 } },
    'missing in a hall at 08:00': { kind: 'missing_at', scope: hall, params: { time: '08:00' } },
    'not seen for 1 h': { kind: 'not_seen_for', params: { seconds: 3_600 } },
    'not seen in a hall for 1 h': { kind: 'not_seen_for', scope: hall, params: { seconds: 3_600 } },
    'not seen for a day': { kind: 'not_seen_for', params: { seconds: 86_400 } },
    'away from home': { kind: 'away_from_home' },
  }
  const to = Date.now()
  const from = Math.max(to - 30 * DAY_MS, to - days * DAY_MS)
  const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  const lines: string[][] = []
  const verdicts: Verdict[] = []
  for (const [name, rule] of Object.entries(rules)) {
    const taken: number[] = []
    let counts = ['', '']
    for (let round = 0; round < 3; round += 1) {
      const at = performance.now()
      const { status, text } = await ask('/rules/preview', { rule: { name, params: {}, ...rule }, ...span })
      taken.push(performance.now() - at)
      counts = status === 200 ? countsOf(text) : [`status ${status}`, text.slice(0, 200)]
    }
    lines.push([name, ...counts, ...[0, 0.5, 1].map((share) => (quantile(taken, share) / 1_000).toFixed(2))])
    const isAnswered = !counts[0]?.startsWith('status')
    verdicts.push(atMost(`preview: ${name}`, PREVIEW_MS, isAnswered ? taken : [Number.NaN]))
  }
  say(`\nSeconds of a preview\n${table([['', 'now', 'past', 'least', 'p50', 'most'], ...lines])}\n`)
  return verdicts
}

function countsOf(text: string): string[] {
  const { data } = JSON.parse(text) as { data: Record<'now' | 'past', { count: number }> }
  return [data.now, data.past].map(({ count }) => String(count))
}
