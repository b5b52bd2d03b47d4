// The command `npm test`: plain JavaScript, because the machine's Node may be older than the one we need.
import { launch } from './launch.mjs'

const HELP = `npm test [-- arguments of vitest]    for example: npm test -- services/catalog

Without arguments: run the static checks of "pnpm check" (format, lint, types, unused code), then every suite but the
slow ones of "pnpm soak". "pnpm fuzz" tries more random cases.

PostgreSQL runs in a container if Docker answers, otherwise embedded, and stops at the end. To use another one, set
  DATABASE_URL   superuser of a PostgreSQL 18 for throwaway databases
nats-server on PATH is used if it is new enough, otherwise one is fetched into .cache. Tests start their own brokers.
Chromium on PATH is used, otherwise Debian's package is fetched into .cache (220 MB) and not installed. To name one, set
  WB_TEST_CHROMIUM   path of a Chromium or Chrome
`
const args = process.argv.slice(2)
if (args.includes('--help') || args.includes('-h')) process.stdout.write(HELP)
else await launch('deploy/workshop/suites/test.ts', args)
