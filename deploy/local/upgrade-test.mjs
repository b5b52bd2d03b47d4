// The command `pnpm upgrade-test`: plain JavaScript, because the machine's Node may be older than the one we need.
import { launch } from './launch.mjs'

await launch('../../test/upgrade/main.ts', process.argv.slice(2))
