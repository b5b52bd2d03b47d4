// `pnpm upgrade-test`: installs the older version, then runs upgrade.test.ts.
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { execFileSync } from 'node:child_process'
import { withTestServers } from '@whereabouts/deploy/workshop/suites/run-vitest'
import { findNatsServer } from '@whereabouts/deploy/workshop/downloads/nats-binary'
import { ROOT } from '@whereabouts/deploy/installation/services'
import { checkoutOf, workshopFile } from '../system/checkout.ts'

const HELP = `pnpm upgrade-test [--from REF]    upgrade from an older version to this checkout and roll back, under load

  --from REF   a tag or commit, which is installed below .cache/bench, or the folder of an installed checkout
               (default: the last tag v*)
  --help       print this

Two replicas of each service of the older version run on a database and streams that it has made. Under load, the test runs
the steps of this checkout and replaces the replicas one by one. It does the same back to the older version, and forward
again. Exit codes: 0 no request failed and nothing was lost, 1 a failure, 2 wrong use or a version that cannot be tested.
`
const say = (text: string) => void process.stdout.write(text)

/** Of a release that runs on other brokers, or whose gateways need a setting during the upgrade. */
const NEEDED = [
  ['deploy/nats/reader-accounts.conf', ''],
  ['services/keys/src/config.ts', 'INTERNAL_WITHOUT_CREDENTIAL'],
] as const

function lastTag(): string {
  try {
    const args = ['describe', '--tags', '--abbrev=0', '--match', 'v*']
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch (cause) {
    throw new Error('there is no tag v* to upgrade from: give --from COMMIT', { cause })
  }
}

/** Installs and builds the version. Returns its folder. */
async function prepare(from: string): Promise<string> {
  const { name, folder } = await checkoutOf(from, say)
  for (const [file, text] of NEEDED) {
    const path = join(folder, file)
    if (!existsSync(path) || !readFileSync(path, 'utf8').includes(text))
      throw new Error(
        `${name} is too old for this test: its upgrade needs a step of its own (docs/operating.md, "Upgrading without downtime")`,
      )
  }
  const build = (await import(
    pathToFileURL(workshopFile(folder, 'deploy/workshop/launch/console-build.mjs')).href
  )) as {
    buildConsole(root: string, node: string, env: NodeJS.ProcessEnv): Promise<void>
  }
  await build.buildConsole(folder, process.execPath, process.env)
  return folder
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { from: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) {
    say(HELP)
    return 0
  }
  const folder = await prepare(values.from ?? lastTag())
  // The older version prefers a broker on PATH to one that it would fetch.
  const binary = await findNatsServer({ cacheDir: join(ROOT, '.cache/nats-server') })
  process.env['PATH'] = [dirname(binary), process.env['PATH'] ?? ''].join(delimiter)
  process.env['UPGRADE_FROM'] = folder
  return withTestServers((vitest) => vitest(['--project=upgrade']))
}

// Ends with its wrapper. The channel itself does not keep the process alive.
process.once('disconnect', () => process.exit(2))
process.channel?.unref()

try {
  process.exit(await main())
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(2)
}
