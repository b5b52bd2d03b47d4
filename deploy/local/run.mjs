// Commands that only start a program: plain JavaScript, because the machine's Node may be older than the one we need.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { launch } from './launch.mjs'
import { root } from './prepare.mjs'
import { beBrief } from './progress.mjs'

/**
 * `settings`: a file of the local stack (ops-env.ts). It is used unless the environment names another system by the
 * variable `unless`: a mixture would fit neither. Such a program prints for other programs.
 * @type {Record<string, { file: string, settings?: string, unless?: string }>}
 */
const PROGRAMS = {
  bench: { file: '../../test/bench/main.ts' },
  campaign: { file: '../../test/campaign/main.ts' },
  'dead-letters': { file: '../dead-letters.ts', settings: 'ops.env', unless: 'NATS_URL' },
  ops: { file: '../../services/keys/src/ops/main.ts', settings: 'ops.env', unless: 'DATABASE_URL' },
  republish: { file: 'republish.ts' },
  scan: { file: 'publish-scan.ts' },
  'upgrade-test': { file: '../../test/upgrade/main.ts' },
}

const [name = '', ...args] = process.argv.slice(2)
const { file, settings = '', unless = '' } = PROGRAMS[name]
if (settings) beBrief()
const path = resolve(root, process.env.DATA_DIR || '.data', settings)
const flags = settings && !process.env[unless] && existsSync(path) ? [`--env-file=${path}`] : []
await launch(file, args, flags)
