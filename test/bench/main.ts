// `pnpm bench <name>`: measures the product on this machine. All servers listen on loopback.
import { benchConsole, CONSOLE_HELP } from './console/console.ts'
import { benchFairness, FAIRNESS_HELP } from './fairness/fairness.ts'
import { benchHour, HOUR_HELP } from './console/hour.ts'
import { benchHistory, HISTORY_HELP } from './history/history.ts'
import { benchIngest, INGEST_HELP } from './ingest/ingest.ts'
import { benchPositions, POSITIONS_HELP } from '../../services/tracking/test/positions/bench.ts'
import { benchRequests, REQUESTS_HELP } from './requests/requests.ts'
import { benchRules, RULES_HELP } from './rules/rules.ts'
import { benchVisits, VISITS_HELP } from './visits/visits.ts'
import { benchWalls, WALLS_HELP } from './walls/walls.ts'
import { benchWebhooks, WEBHOOKS_HELP } from './webhooks/webhooks.ts'

const HELP = `pnpm bench <name> [flags]    measure the product on this machine; exits with 1 if a target is missed

${CONSOLE_HELP}
${FAIRNESS_HELP}
${HISTORY_HELP}
${HOUR_HELP}
${INGEST_HELP}
${POSITIONS_HELP}
${REQUESTS_HELP}
${RULES_HELP}
${VISITS_HELP}
${WALLS_HELP}
${WEBHOOKS_HELP}
  --help            print this
`

const benches: Record<string, (args: string[], say: (text: string) => void) => Promise<boolean>> = {
  console: benchConsole,
  fairness: benchFairness,
  history: benchHistory,
  hour: benchHour,
  ingest: benchIngest,
  positions: benchPositions,
  requests: benchRequests,
  rules: benchRules,
  visits: benchVisits,
  walls: benchWalls,
  webhooks: benchWebhooks,
}

// Ends with its wrapper. The channel itself does not keep the process alive.
process.once('disconnect', () => process.exit(2))
process.channel?.unref()

const [name = '--help', ...args] = process.argv.slice(2)
const bench = benches[name]
try {
  if ([name, ...args].includes('--help')) process.stdout.write(HELP)
  else if (!bench) throw new Error(`unknown benchmark "${name}"\n\n${HELP}`)
  else process.exitCode = (await bench(args, (text) => process.stdout.write(text))) ? 0 : 1
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
