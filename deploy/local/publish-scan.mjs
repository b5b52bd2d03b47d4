// The command `npm run scan`: plain JavaScript, because the machine's Node may be older than the one we need.
import { launch } from './launch.mjs'

await launch('publish-scan.ts', process.argv.slice(2))
