// The command `npm test`: plain JavaScript, because the machine's Node may be older than the one we need.
import { launch } from './launch.mjs'

const HELP = `npm test [-- arguments of vitest]    for example: npm test -- services/catalog

Without arguments: first the static checks of "pnpm check" (format, lint, types, unused code), then every suite but the
slow ones of "pnpm soak". "pnpm fuzz" tries more random cases.

PostgreSQL is started and stopped again: in a container when Docker answers, otherwise an embedded one; or set
  DATABASE_URL   superuser of a PostgreSQL 18 that may be filled with throwaway databases
nats-server is the one on PATH when that is new enough, otherwise one is fetched into .cache: tests start their own.
Chromium is the one on PATH, otherwise Debian's package is fetched into .cache (100 MB) and not installed; or set
  WB_TEST_CHROMIUM   path of a Chromium or Chrome
`
const args = process.argv.slice(2)
if (args.includes('--help') || args.includes('-h')) process.stdout.write(HELP)
else await launch('test.ts', args)
