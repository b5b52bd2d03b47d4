// The command `npm run campaign`: plain JavaScript, because the machine's Node may be older than the one we need.
import { launch } from './launch.mjs'

await launch('../../test/campaign/main.ts', process.argv.slice(2))
