// The command `npm run republish`: plain JavaScript, because the machine's Node may be older than the one we need.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { launch } from './launch.mjs'
import { root } from './prepare.mjs'

// Of the local stack (ops-env.ts), unless another database is named.
const file = resolve(root, process.env.DATA_DIR || '.data', 'republish.env')
const flags = !process.env.DATABASE_URL && existsSync(file) ? [`--env-file=${file}`] : []
await launch('../../services/catalog/src/republish.ts', process.argv.slice(2), flags)
