import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createGzip } from 'node:zlib'
import { databaseUrl } from '@whereabouts/deploy/database/roles'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import { readsOf } from '../../../services/tracking/test/history/reads.ts'
import { SHAPES, Simulation } from '../../../services/tracking/test/history/simulated-rows.ts'
import { lastDays, StoredHistory } from '../../../services/tracking/test/history/stored-history.ts'
import { withNow } from '../against/systems.ts'
import { asAdministrator } from '../load/database.ts'
import { quantile, table } from '../load/figures.ts'
import { readFlags } from '../load/flags.ts'
import { cpuSecondsOf } from '../load/processes.ts'

export const HISTORY_HELP = `pnpm bench history [flags]    size of history as rows and as packed days, and what packing and reading it cost

  --assets N        of one organization, 10 to 20000                     default 100
  --days N          of history, 1 to 400                                 default 30
  --shape NAME      ${SHAPES.join(', ')}                     default typical
  --partitions NAME day, as rows are stored, or month, as before         default day
`

const NUMBERS = { assets: [10, 20_000, 100], days: [1, 400, 30] } as const
const PARTITIONS = ['day', 'month'] as const
const ROWS_OF_DAY = 361
/** Of the files of a table. */
const GZIP_SAMPLE_BYTES = 200e6

function readSettings(args: string[]) {
  const text = (value: string) => ({ type: 'string', default: value }) as const
  const { numbers, shape, partitions } = readFlags(args, NUMBERS, {
    shape: text('typical'),
    partitions: text('day'),
  })
  return {
    ...numbers,
    shape: oneOf('shape', SHAPES, shape),
    partitions: oneOf('partitions', PARTITIONS, partitions),
  }
}

function oneOf<T extends string>(flag: string, names: readonly T[], name: string): T {
  const found = names.find((each) => each === name)
  if (!found) throw new Error(`--${flag} must be one of ${names.join(', ')}`)
  return found
}

type Settings = ReturnType<typeof readSettings>
type Say = (text: string) => void
/** Milliseconds of processor time. */
type Times = { node: number; postgres: number }

/** Fills the tables of tracking with rows, reads them, packs them and reads the same again. It has no target. */
export function benchHistory(args: string[], say: Say): Promise<boolean> {
  const settings = readSettings(args)
  return withNow({ services: ['tracking'], say }, async ({ stack }) => {
    await stack.service('tracking').stop() // it would pack the rows at once
    const password = stack.secrets.database_passwords.tracking
    const stored = new StoredHistory(
      databaseUrl(stack.urls.postgres, 'whereabouts', { name: 'tracking', password }),
    )
    try {
      await measure(stack, stored, settings, say)
    } finally {
      await stored.close()
    }
    return true
  })
}

async function measure(stack: Stack, stored: StoredHistory, settings: Settings, say: Say): Promise<void> {
  const { assets, days: count, shape, partitions } = settings
  const simulation = new Simulation(assets, shape)
  const days = lastDays(count, Date.now())
  await asAdministrator(stack, (client) => client.query('alter system set autovacuum = off'))
  await asAdministrator(stack, (client) => client.query('select pg_reload_conf()'))
  await stored.addAssets(simulation)
  const startedAt = performance.now()
  let rows = 0
  for (const day of days) rows += await stored.addDay(simulation, day, partitions)
  const seconds = (performance.now() - startedAt) / 1_000
  say(
    `${rows} rows of ${assets} assets and ${count} days, ${shape}, in partitions of a ${partitions}, written in ${seconds.toFixed(0)} s\n`,
  )

  const depth = Math.min(5_000, Math.floor((count * ROWS_OF_DAY) / 100) * 50)
  const reads = () => readsOf(stored, simulation.assetIds, days, depth)
  await stored.settle()
  const before = {
    size: await sizes(stack, stored, 'scan', rows),
    reads: await timesOf(stack, reads(), assets),
  }
  say(await packAll(stack, stored))
  await stored.settle()
  const after = {
    size: await sizes(stack, stored, 'day_packed', rows),
    reads: await timesOf(stack, reads(), assets),
  }

  const sizeNames = [
    'bytes a row with index',
    'of them index',
    'the same after gzip',
    'all, MB',
    'gzip of one job, MB/s',
  ]
  say(
    `\n${table([['', 'rows', 'packed'], ...sizeNames.map((name, i) => [name, before.size[i] ?? '', after.size[i] ?? ''])])}\n`,
  )
  const cells = ({ node, postgres, ms }: Read) => [node, postgres, ms].map((value) => value.toFixed(2))
  const head = ['', ...['rows', 'packed'].flatMap((side) => [`${side}: Node`, 'PostgreSQL', 'p50'])]
  const lines = before.reads.map((read, i) =>
    [read.name].concat([read, after.reads[i]].flatMap((one) => (one ? cells(one) : []))),
  )
  say(`\nMilliseconds of a call: processor time of both, and duration\n${table([head, ...lines])}\n`)
}

/** Until nothing is left. The service waits after each step for as long as the step took. */
async function packAll(stack: Stack, stored: StoredHistory): Promise<string> {
  const durations: number[] = []
  let rows = 0
  const cpu = await timed(stack, async () => {
    for (;;) {
      const startedAt = performance.now()
      const step = await stored.packStep()
      durations.push(performance.now() - startedAt)
      rows += step.rows
      if (step.outcome === 'done') return
    }
  })
  const us = (ms: number) => ((ms * 1_000) / rows).toFixed(2)
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => quantile(durations, share).toFixed(0))
  const perSecond = (rows * 1_000) / durations.reduce((sum, ms) => sum + ms, 0)
  return `Packed ${perSecond.toFixed(0)} rows/s; a row takes ${us(cpu.node)} µs of Node and ${us(cpu.postgres)} µs of PostgreSQL; ${durations.length} steps of ${p50} ms (p50), ${p99} ms (p99), ${most} ms (longest)\n`
}

async function timed(stack: Stack, work: () => Promise<unknown>): Promise<Times> {
  const ofPostgres = () => cpuSecondsOf(stack.postgres.pid, { children: true }) * 1_000
  const [postgres, node] = [ofPostgres(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(node)
  return { node: (user + system) / 1_000, postgres: ofPostgres() - postgres }
}

type Read = Times & { name: string; ms: number }

async function timesOf(stack: Stack, reads: ReturnType<typeof readsOf>, assets: number): Promise<Read[]> {
  const all: Read[] = []
  for (const { name, call } of reads) {
    const calls = name.startsWith('report') ? Math.max(20, Math.round(20_000 / assets)) : 400
    const durations: number[] = []
    const repeat = async (times: number) => {
      for (let n = 0; n < times; n += 1) {
        const startedAt = performance.now()
        await call()
        durations.push(performance.now() - startedAt)
      }
    }
    await repeat(Math.ceil(calls / 4)) // until V8 has optimized it
    durations.length = 0
    const { node, postgres } = await timed(stack, () => repeat(calls))
    all.push({ name, node: node / calls, postgres: postgres / calls, ms: quantile(durations, 0.5) })
  }
  return all
}

/** A base backup copies the files of tables, with gzip in each job. */
async function sizes(
  stack: Stack,
  stored: StoredHistory,
  name: 'scan' | 'day_packed',
  rows: number,
): Promise<string[]> {
  const { bytes, indexBytes } = await stored.sizeOf(name)
  const folder = await asAdministrator(stack, async (client) => {
    await client.query('checkpoint')
    const { rows: found } = await client.query<{ data_directory: string }>('show data_directory')
    return found[0]?.data_directory ?? ''
  })
  const files = (await stored.filesOf(name)).map((file) => join(folder, file))
  let [read, written] = [0, 0]
  const cpu = await timed(stack, async () => {
    for (const file of files) {
      const end = Math.floor(GZIP_SAMPLE_BYTES / files.length)
      const gzip = createReadStream(file, { end, highWaterMark: 1 << 20 })
        .on('data', (chunk) => (read += chunk.length))
        .pipe(createGzip())
      for await (const chunk of gzip) written += (chunk as Buffer).length
    }
  })
  const perRow = (value: number) => (value / rows).toFixed(2)
  return [
    perRow(bytes),
    perRow(indexBytes),
    perRow((bytes * written) / read),
    (bytes / 1e6).toFixed(1),
    (read / 1_000 / cpu.node).toFixed(0),
  ]
}
