import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findNatsServer } from '@whereabouts/deploy/workshop/downloads/nats-binary'
import { ROOT, type ServiceName } from '@whereabouts/deploy/installation/services'
import type { Stack, StackOptions } from '@whereabouts/deploy/workshop/stack/stack'
import { checkoutOf, workshopFile, type Checkout } from '../../system/checkout.ts'

/** The files that a version has for its own measurement. A version without them is too old to compare. */
type Files = {
  'deploy/workshop/stack/stack.ts': typeof import('@whereabouts/deploy/workshop/stack/stack')
  'test/bench/ingest/delay.ts': typeof import('../ingest/delay.ts')
  'test/bench/ingest/reads.ts': typeof import('../ingest/reads.ts')
  'test/bench/ingest/warehouse.ts': typeof import('../ingest/warehouse.ts')
  'test/bench/webhooks/bench.ts': typeof import('../webhooks/bench.ts')
  'test/bench/webhooks/events.ts': typeof import('../webhooks/events.ts')
}

/** One running version with its own data. */
export type System = {
  name: string
  stack: Stack
  /** Loads a file of that version. */
  load: <File extends keyof Files>(file: File) => Promise<Files[File]>
}

/** The version that is measured against, and that of this checkout, uncommitted changes included. */
export type Both = { base: System; now: System }

type Options = {
  /** Default: all. */
  services?: readonly ServiceName[]
  env?: NonNullable<StackOptions['env']>
  say: (text: string) => void
}

const NOW: Checkout = { name: 'now', folder: ROOT }

/** Runs `work` while both systems run on throwaway data. Then stops them and removes the data. */
export async function withBoth<T>(
  { against, ...options }: Options & { against: string },
  work: (both: Both) => Promise<T>,
): Promise<T> {
  const checkouts = [await checkoutOf(against, options.say), NOW]
  await useOneBroker()
  return withSystems(checkouts, options, ([base, now]) => {
    if (!base || !now) throw new Error('a system is missing')
    return work({ base, now })
  })
}

/** The same with the version of this checkout alone. */
export const withNow = <T>(options: Options, work: (now: System) => Promise<T>): Promise<T> =>
  withSystems([NOW], options, ([now]) => {
    if (!now) throw new Error('the system is missing')
    return work(now)
  })

async function withSystems<T>(
  checkouts: readonly Checkout[],
  { say, ...options }: Options,
  work: (systems: readonly System[]) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'whereabouts-bench-'))
  chmodSync(folder, 0o755) // under root, PostgreSQL runs as another user, which must enter
  const systems: System[] = []
  try {
    const model = cpus()[0]?.model ?? 'unknown processor'
    say(
      `${availableParallelism()} cores (${model}), Node ${process.version}, load average ${loadAverage()}\n`,
    )
    // One after the other: in parallel they could find the same free ports.
    for (const checkout of checkouts) {
      say(`Starting ${checkout.name} …\n`)
      const dataDir = join(folder, checkout === NOW ? 'now' : 'base')
      systems.push(await startSystem(checkout, { ...options, dataDir }))
    }
    const result = await work(systems)
    say(`Load average at the end: ${loadAverage()}\n`)
    return result
  } finally {
    await Promise.all(systems.map(({ stack }) => stack.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
}

const loadAverage = () => loadavg()[0]?.toFixed(2)

async function startSystem({ name, folder }: Checkout, options: StackOptions): Promise<System> {
  const load: System['load'] = async (file) => {
    const path = workshopFile(folder, file)
    if (!existsSync(path)) throw new Error(`${name} has no ${file}: it is too old to be measured`)
    return import(pathToFileURL(path).href)
  }
  const { startStack } = await load('deploy/workshop/stack/stack.ts')
  return { name, load, stack: await startStack(options) }
}

/**
 * Each version prefers a broker on PATH to one in its own cache, if it is new enough. This puts the broker of this
 * checkout on PATH, so that both run the same release and only our code differs.
 */
async function useOneBroker(): Promise<void> {
  const binary = await findNatsServer({ cacheDir: join(ROOT, '.cache/nats-server') })
  process.env['PATH'] = [dirname(binary), process.env['PATH'] ?? ''].join(delimiter)
}
