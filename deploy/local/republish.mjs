// The command `npm run republish`: plain JavaScript, because the machine's Node may be older than the one we need.
import { launch } from './launch.mjs'

await launch('republish.ts', process.argv.slice(2))
