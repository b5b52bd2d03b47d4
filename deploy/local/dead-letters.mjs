// The command `npm run dead-letters`: plain JavaScript, because the machine's Node may be older than the one we need.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { launch } from './launch.mjs'
import { root } from './prepare.mjs'
import { beBrief } from './progress.mjs'

beBrief()
// The local stack (ops-env.ts), unless the environment names another broker.
const file = resolve(root, process.env.DATA_DIR || '.data', 'ops.env')
const flags = !process.env.NATS_URL && existsSync(file) ? [`--env-file=${file}`] : []
await launch('../dead-letters.ts', process.argv.slice(2), flags)
