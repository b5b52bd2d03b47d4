import { headersSignedWith } from '@whereabouts/testing/caller'
import { connect } from 'nats'
import { Client } from 'undici'
import { withNow } from '../against/systems.ts'
import { asOwner } from '../load/database.ts'
import { quantile, table } from '../load/figures.ts'
import { readFlags } from '../load/flags.ts'
import { atMost, verdictTable, type Verdict } from '../load/verdict.ts'
import { announceLocations } from '../ingest/warehouse.ts'
import { fillVisits, HALL, LOCATIONS, ORG, ROOT, SHELF } from './fill.ts'

export const VISITS_HELP = `pnpm bench visits [flags]      visits among millions of rows of history, one request at a time

  --assets N        of one organization, 100 to 200000                   default 20000
  --million N       rows of history, 0.1 to 100 million                  default 50
  --seconds N       fills for at most as long, 10 to 3600                default 600
`

const WANTED_MS = 50
const ROUNDS = 20
/** Of what reads seconds of history. */
const SLOW_ROUNDS = 5
const DAY_MS = 86_400_000

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
const below = (id: number) => `location_id=${id}&include_descendants=true`

/** Of 200 rows each. */
const PAGES: Record<string, string> = {
  newest: '',
  'before a week ago': `to=${daysAgo(7)}`,
  'from a month ago': `from=${daysAgo(30)}`,
  'of an hour a week ago': `from=${daysAgo(7 + 1 / 24)}&to=${daysAgo(7)}`,
  'of a location': `location_id=${SHELF}`,
  'below a location': below(HALL),
  'below the root': below(ROOT),
  'of an asset': 'asset_id=4711',
  open: 'open=true',
  'open at a location': `open=true&location_id=${SHELF}`,
  'open below a location': `open=true&${below(HALL)}`,
  'open below the root': `open=true&${below(ROOT)}`,
}
const OTHERS: Record<string, string> = {
  '200, rare: longer than 5 h': '/visits?limit=200&min_seconds=18001',
  '200 with a silence of 2 h': '/visits?limit=200&max_silence_seconds=7200',
  '200 with a silence of 20 min': '/visits?limit=200&max_silence_seconds=1200',
  'report, 7 days': '/reports/visits?group_by=location',
  'report, 7 days by day': '/reports/visits?group_by=day',
}
/** With a target: a page. */
const QUESTIONS: { name: string; path: string; wanted?: number }[] = [
  ...Object.entries(PAGES).map(([name, query]) => ({
    name: `200 ${name}`,
    path: `/visits?limit=200&${query}`,
    wanted: WANTED_MS,
  })),
  ...Object.entries(OTHERS).map(([name, path]) => ({ name, path })),
]

/** Starts tracking on throwaway data, measures and prints a table. Resolves with true if every target was reached. */
export function benchVisits(args: string[], say: (text: string) => void): Promise<boolean> {
  const { numbers } = readFlags(args, { assets: [100, 200_000, 20_000], million: [0.1, 100, 50], seconds: [10, 3_600, 600] }, {}) // oxfmt-ignore
  return withNow({ services: ['tracking'], say }, async ({ stack }) => {
    const pass = stack.secrets.nats.services_password
    const nc = await connect({ servers: stack.urls.nats, user: 'services', pass })
    await announceLocations(nc, ORG, LOCATIONS)
    await nc.close()
    const startedAt = performance.now()
    const filled = await asOwner(stack, 'tracking', (owner) =>
      fillVisits(owner, { ...numbers, rows: numbers.million * 1e6 }),
    )
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0)
    const { rows, movements, days } = filled
    say(
      `${rows} rows and ${movements} movements of ${numbers.assets} assets and ${days} days, in ${seconds} s\n`,
    )
    const headers = await headersSignedWith(
      stack.secrets.principal_private_key,
      { kind: 'session', orgId: ORG, scopes: [], userId: 1, role: 'admin' },
      'tracking',
    )
    const client = new Client(stack.urls.api.tracking, { pipelining: 1 })
    const lines: string[][] = []
    const verdicts: Verdict[] = []
    try {
      for (const { name, path, wanted } of QUESTIONS) {
        const taken: number[] = []
        let found = ''
        const rounds = wanted === undefined ? SLOW_ROUNDS : ROUNDS
        for (let round = 0; round <= rounds; round += 1) {
          const at = performance.now()
          const reply = await client.request({ method: 'GET', path: `/api/v1${path}`, headers })
          const text = await reply.body.text()
          const isDone = reply.statusCode === 200
          if (round > 0 || !isDone) taken.push(performance.now() - at)
          found = isDone
            ? String((JSON.parse(text) as { data: unknown[] }).data.length)
            : `status ${reply.statusCode}`
          if (!isDone) break
        }
        const shown = [0, 0.5, 0.95].map((share) => quantile(taken, share).toFixed(1))
        lines.push([name, found, ...shown])
        if (wanted !== undefined) verdicts.push(atMost(name, wanted, taken))
      }
    } finally {
      await client.close()
    }
    say(`\nMilliseconds of a request\n${table([['', 'rows', 'least', 'p50', 'p95'], ...lines])}\n`)
    say(verdictTable(verdicts))
    return verdicts.every(({ reached }) => reached)
  })
}
