import { createClient, unwrap } from '@whereabouts/client/client'
import { startStack, type Stack } from '@whereabouts/deploy/local/stack'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { verdictTable, type Verdict } from '../edge/report.ts'
import { table } from '../load/figures.ts'
import { cpuBetween, cpuTimes, residentMiB, type CpuTimes } from '../load/processes.ts'

export const IMPORT_HELP = `pnpm bench import [flags]    a CSV file through the gateway: dry run, import, the same again, export

  --rows N          rows of the file, 1000 to 100000                 default 100000
`

/** So that 100 000 of them are nearly the 64 MiB that a file may have. */
const ROW_BYTES = 660
const WANTED_ROWS_PER_SECOND = 1_000
/** Beyond the peak of a tenth of the file. Whoever keeps the file, or its rows, does not stay within this; garbage does. */
const WANTED_GROWTH_MIB = { gateway: 32, catalog: 96 }
const PARTS = ['gateway', 'catalog'] as const
type Peak = Record<(typeof PARTS)[number], number>

/** Starts the system on throwaway data, measures, prints. Answers whether every target was reached. */
export async function benchImport(args: string[], say: (text: string) => void): Promise<boolean> {
  const { values } = parseArgs({ args, options: { rows: { type: 'string', default: '100000' } } })
  const rows = Number(values.rows)
  if (!(Number.isInteger(rows) && rows >= 1_000 && rows <= 100_000))
    throw new Error('--rows is 1000 to 100000')
  const folder = mkdtempSync(join(tmpdir(), 'whereabouts-bench-'))
  chmodSync(folder, 0o755) // as root, PostgreSQL runs as another user, who must get in
  let stack: Stack | undefined
  try {
    stack = await startStack({ dataDir: join(folder, 'data') })
    return await measure(stack, rows, say)
  } finally {
    await stack?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Step = { name: string; seconds: number; peak: Peak; cpu: CpuTimes }

async function measure(stack: Stack, rows: number, say: (text: string) => void): Promise<boolean> {
  const caller = await signUp(stack)
  const watch = watchMemory(stack)
  try {
    const small = await walk(stack, caller, watch, rows / 10, 'warm')
    const steps = await walk(stack, caller, watch, rows, 'bench')
    say(report(steps, rows))
    const verdicts = verdictsOf(steps, peakOf(small), rows)
    say(verdictTable(verdicts))
    return verdicts.every(({ reached }) => reached)
  } finally {
    watch.stop()
  }
}

/** Every use of a file of so many rows, one after the other. */
async function walk(
  stack: Stack,
  caller: Caller,
  watch: Watch,
  rows: number,
  prefix: string,
): Promise<Step[]> {
  const steps: Step[] = []
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    watch.reset()
    const [from, before] = [performance.now(), cpuTimes(stack)]
    const result = await work()
    const seconds = (performance.now() - from) / 1000
    steps.push({ name, seconds, peak: watch.peak(), cpu: cpuBetween(before, cpuTimes(stack)) })
    return result
  }
  const file = () => fileOf(rows, prefix)
  const dry = await step('upload of a dry run', () => send(caller, file(), true))
  await step('dry run', () => untilDone(caller, dry))
  const real = await post(caller, `/imports/${dry}/apply`)
  await step('import', () => untilDone(caller, real.id))
  const again = await step('upload of the same', () => send(caller, file(), false))
  await step('import of the same', () => untilDone(caller, again))
  await step('export', () => readExport(caller))
  return steps
}

const peakOf = (steps: readonly Step[]): Peak => ({
  gateway: Math.max(...steps.map(({ peak }) => peak.gateway)),
  catalog: Math.max(...steps.map(({ peak }) => peak.catalog)),
})

const CPU_PARTS = ['gateway', 'catalog', 'postgres for catalog']

function report(steps: readonly Step[], rows: number): string {
  const lines = steps.map(({ name, seconds, peak, cpu }) => [
    name,
    seconds.toFixed(1),
    (rows / seconds).toFixed(0),
    ...CPU_PARTS.map((part) => (((cpu[part] ?? Number.NaN) / rows) * 1e6).toFixed(0)),
    peak.gateway.toFixed(0),
    peak.catalog.toFixed(0),
  ])
  const head = [
    '',
    'seconds',
    'rows/s',
    ...CPU_PARTS.map((part) => `${part} µs`),
    'gateway MiB',
    'catalog MiB',
  ]
  const title = `${rows} rows of ${ROW_BYTES} bytes: processor time per row, peak of resident memory`
  return `\n${title}\n${table([head, ...lines])}\n`
}

function verdictsOf(steps: readonly Step[], small: Peak, rows: number): Verdict[] {
  const speeds = steps
    .filter(({ name }) => name === 'dry run' || name.startsWith('import'))
    .map(({ name, seconds }): Verdict => {
      const perSecond = rows / seconds
      return {
        what: `${name}, rows/s`,
        wanted: `≥ ${WANTED_ROWS_PER_SECOND}`,
        got: perSecond.toFixed(0),
        reached: perSecond >= WANTED_ROWS_PER_SECOND,
      }
    })
  const growths = PARTS.map((name): Verdict => {
    const growth = peakOf(steps)[name] - small[name]
    const [wanted, got] = [`≤ ${WANTED_GROWTH_MIB[name]} MiB`, `${growth.toFixed(0)} MiB`]
    return { what: `growth of ${name} over a tenth`, wanted, got, reached: growth <= WANTED_GROWTH_MIB[name] }
  })
  return [...speeds, ...growths]
}

type Watch = { reset(): void; peak(): Peak; stop(): void }

/** Looks every 20 ms: the kernel's own high-water mark cannot be reset without rights of root. */
function watchMemory(stack: Stack): Watch {
  let peak = { gateway: 0, catalog: 0 }
  const look = () => {
    for (const name of PARTS) peak[name] = Math.max(peak[name], residentMiB(stack.service(name).pid) ?? 0)
  }
  look()
  const timer = setInterval(look, 20)
  return {
    reset: () => {
      peak = { gateway: 0, catalog: 0 }
      look()
    },
    peak: () => ({ ...peak }),
    stop: () => clearInterval(timer),
  }
}

/** Made while it is sent: it shall not be this process that runs out of memory. */
function* fileOf(rows: number, prefix: string): Generator<string> {
  yield 'external_key,name,description,metadata,rfid,barcode\n'
  for (let i = 0; i < rows; i += 1) {
    const cells = `${prefix}-${i},Pallet ${i},,"{""lot"":""${i}"",""note"":""x""}",${prefix}E2${i},${prefix}40${i}`
    const description = 'lorem '.repeat(200).slice(0, ROW_BYTES - cells.length - 2)
    yield `${cells.replace(',,', `,${description.trim()}.,`)}\n`
  }
}

type Caller = { base: string; headers: Record<string, string> }

async function signUp({ urls: { base } }: Stack): Promise<Caller> {
  const body = { org_name: 'Bench', name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
  const { access_token } = unwrap(
    await createClient({ baseUrl: base }).POST('/api/v1/auth/signup', { body }),
  ).data
  return { base, headers: { 'user-agent': 'whereabouts-bench/1', authorization: `Bearer ${access_token}` } }
}

type Import = { id: number; finished_at: string | null; failed: number }

async function call({ base, headers }: Caller, path: string, method: string, body?: Iterable<string>) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const type = body && { 'content-type': 'text/csv' }
  const outgoing = request(`${base}/api/v1${path}`, { method, headers: { ...headers, ...type } }, resolve)
  outgoing.on('error', reject)
  if (body) await pipeline(Readable.from(body), outgoing)
  else outgoing.end()
  const incoming = await promise
  if ((incoming.statusCode ?? 500) > 299) throw new Error(`${method} ${path} answered ${incoming.statusCode}`)
  return incoming
}

async function post(caller: Caller, path: string, body?: Iterable<string>, method = 'POST'): Promise<Import> {
  const parts: Buffer[] = []
  for await (const part of await call(caller, path, method, body)) parts.push(part as Buffer)
  return (JSON.parse(Buffer.concat(parts).toString()) as { data: Import }).data
}

const send = async (caller: Caller, file: Iterable<string>, dryRun: boolean) =>
  (await post(caller, `/imports?resource=assets&dry_run=${dryRun}`, file)).id

async function untilDone(caller: Caller, id: number): Promise<void> {
  for (;;) {
    const { finished_at, failed } = await post(caller, `/imports/${id}`, undefined, 'GET')
    if (failed > 0) throw new Error(`${failed} rows failed`)
    if (finished_at !== null) return
    await wait(100)
  }
}

async function readExport(caller: Caller): Promise<void> {
  for await (const part of await call(caller, '/exports/assets', 'GET')) void part
}
