// Commands that only start a program: plain JavaScript, because the machine's Node may be older than the one we need.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { launch } from './launch.mjs'
import { root } from './prepare.mjs'
import { beBrief } from './progress.mjs'

/**
 * `settings`: a file of the local stack (ops-env.ts). It is used unless the environment names another system by the
 * variable `unless`: a mixture would fit neither. Such a program prints for other programs, and so does one that is `brief`.
 * @type {Record<string, { file: string, settings?: string, unless?: string, brief?: boolean }>}
 */
const PROGRAMS = {
  bench: { file: 'test/bench/main.ts' },
  campaign: { file: 'test/campaign/main.ts' },
  'dead-letters': { file: 'deploy/dead-letters.ts', settings: 'ops.env', unless: 'NATS_URL' },
  generate: { file: 'deploy/workshop/clients/generate.ts', brief: true },
  ops: { file: 'services/keys/src/ops/main.ts', settings: 'ops.env', unless: 'DATABASE_URL' },
  'pack:client': { file: 'deploy/workshop/clients/pack.ts', brief: true },
  'pack:client:python': { file: 'deploy/workshop/clients/pack-python.ts', brief: true },
  release: { file: 'deploy/workshop/release/release.ts' },
  republish: { file: 'deploy/workshop/commands/republish.ts' },
  scan: { file: 'deploy/workshop/commands/publish-scan.ts' },
  'upgrade-test': { file: 'test/upgrade/main.ts' },
}

const [name = '', ...args] = process.argv.slice(2)
const { file, settings = '', unless = '', brief = settings !== '' } = PROGRAMS[name]
if (brief) beBrief()
const path = resolve(root, process.env.DATA_DIR || '.data', settings)
const flags = settings && !process.env[unless] && existsSync(path) ? [`--env-file=${path}`] : []
await launch(file, args, flags)
