// The command `npm run ops`: plain JavaScript, because the machine's Node may be older than the one we need.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { launch } from './launch.mjs'
import { root } from './prepare.mjs'
import { beBrief } from './progress.mjs'

beBrief()
// The local stack (ops-env.ts), unless the environment names another system: a mixture would fit neither.
const file = resolve(root, process.env.DATA_DIR || '.data', 'ops.env')
const flags = !process.env.DATABASE_URL && existsSync(file) ? [`--env-file=${file}`] : []
await launch('../../services/keys/src/ops/main.ts', process.argv.slice(2), flags)
