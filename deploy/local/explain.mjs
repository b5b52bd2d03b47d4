// The command `pnpm explain`: plain JavaScript, because the machine's Node may be older than the one we need.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { launch } from './launch.mjs'
import { root } from './prepare.mjs'
import { beBrief } from './progress.mjs'

beBrief()
// The database of the local stack (ops-env.ts), unless DATABASE_URL names another.
const file = resolve(root, process.env.DATA_DIR || '.data', 'explain.env')
const flags = !process.env.DATABASE_URL && existsSync(file) ? [`--env-file=${file}`] : []
await launch('../../services/tracking/src/reports/explain/main.ts', process.argv.slice(2), flags)
