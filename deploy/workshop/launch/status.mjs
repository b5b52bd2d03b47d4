// The command `npm run status`: plain JavaScript, because the machine's Node may be older than the one we need.
import { launch } from './launch.mjs'
import { beBrief } from './progress.mjs'

const HELP = `npm run status [-- flags]    show what runs on a data folder: processes, addresses, health, lag, last error

  --json    print JSON: npm run --silent status -- --json, because npm itself prints two lines first
  --help    print this

DATA_DIR names another data folder than .data. Exit code: 0 all is well, 1 something is not, 3 nothing runs.
`
const args = process.argv.slice(2)
const unknown = args.find((arg) => !['--json', '--help', '-h'].includes(arg))
beBrief()
if (args.includes('--help') || args.includes('-h')) process.stdout.write(HELP)
else if (unknown === undefined) await launch('deploy/workshop/commands/status.ts', args)
else {
  process.stderr.write(`Unknown flag ${unknown}.\n\n${HELP}`)
  process.exitCode = 2
}
