import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { databaseUrl } from '@whereabouts/deploy/database/roles'
import { startStack, type Stack } from '@whereabouts/deploy/local/stack'
import { connect, type NatsConnection } from 'nats'
import { alternate, type Compared, type Effort } from './alternate.ts'
import { atService, bareSql, type Way } from './ways.ts'
import { verdictTable } from '../load/verdict.ts'
import { machine } from '../load/machine.ts'
import { announceLocations } from './announce.ts'
import { measureCsv } from './csv.ts'
import { fillThings } from './fill-things.ts'
import { LEGACY_ASSETS, questionsAbout } from './questions.ts'
import { reportsTable, verdictsOf } from './report.ts'
import { ORG_ID } from './catalog-fill.ts'
import { startWriting, type Writing } from './writing.ts'

export const REPORTS_HELP = `pnpm bench reports [flags]    measure reports and history: tracking over HTTP against hand-written SQL

  --assets N        assets of the measured organization, 1000 to 200000  default 200000
  --rows N          rows of history in all organizations                 default 5000000
  --data DIR        keep the data here; continue interrupted filling     default: throwaway
  --fill-only       do not measure
  --ingest          write 1000 new rows a second meanwhile
  --only TEXT       only questions with this text in their name; can be repeated
  --effort X        scale the time of measurement, 0.1 to 10             default 1
`

const CONNECTIONS = 8
/** Of 120 000 assets, so each is read again in another minute. */
const NEW_ROWS = { messagesPerSecond: 20, readsPerMessage: 50 }

type Settings = {
  assets: number
  rows: number
  data: string | undefined
  fillOnly: boolean
  ingest: boolean
  only: string[]
  effort: Effort
}
type Say = (text: string) => void

function readSettings(args: string[]): Settings {
  const { values } = parseArgs({
    args,
    options: {
      assets: { type: 'string', default: '200000' },
      rows: { type: 'string', default: '5000000' },
      data: { type: 'string' },
      'fill-only': { type: 'boolean', default: false },
      ingest: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [''] },
      effort: { type: 'string', default: '1' },
    },
  })
  const [assets, rows, scale] = [Number(values.assets), Number(values.rows), Number(values.effort)]
  if (!(Number.isInteger(assets) && assets >= 1_000 && assets <= 200_000))
    throw new Error('--assets must be 1000 to 200000')
  if (!(scale >= 0.1 && scale <= 10)) throw new Error('--effort must be a number from 0.1 to 10')
  const effort = { rounds: 3, aloneMs: 400 * scale, togetherMs: 400 * scale, fewest: 5 }
  const { data, 'fill-only': fillOnly, ingest, only } = values
  return { assets, rows, data, fillOnly, ingest, only, effort }
}

/**
 * Starts tracking on throwaway or kept data, measures and prints tables. Resolves with true if every target was
 * reached.
 */
export async function benchReports(args: string[], say: Say): Promise<boolean> {
  const settings = readSettings(args)
  const folder = openFolder(settings.data)
  let [stack, nc]: [Stack?, NatsConnection?] = []
  try {
    say(`${machine()}\nStarting tracking …\n`)
    stack = await startStack({ dataDir: join(folder, 'data'), services: ['catalog', 'tracking'] })
    nc = await connect({
      servers: stack.urls.nats,
      user: 'services',
      pass: stack.secrets.nats.services_password,
    })
    return await measure(stack, nc, settings, say)
  } finally {
    await nc?.close()
    await stack?.stop()
    if (settings.data === undefined) rmSync(folder, { recursive: true, force: true })
  }
}

/** Under root, PostgreSQL runs as another user, which must enter the folder. */
function openFolder(data: string | undefined): string {
  const folder = data === undefined ? mkdtempSync(join(tmpdir(), 'whereabouts-bench-')) : resolve(data)
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o755)
  return folder
}

/** The login of the owner of a service's tables. */
const ownerUrl = ({ urls, secrets }: Stack, name: 'catalog' | 'tracking'): string =>
  databaseUrl(urls.postgres, 'whereabouts', { name, password: secrets.database_passwords[name] })

/** The login of an administrator, who can read both schemas. */
function adminUrl({ urls }: Stack): string {
  const url = new URL(urls.postgres)
  url.pathname = '/whereabouts'
  return url.href
}

async function measure(stack: Stack, nc: NatsConnection, settings: Settings, say: Say): Promise<boolean> {
  const urls = { catalog: ownerUrl(stack, 'catalog'), admin: adminUrl(stack) }
  const started = performance.now()
  const things = await fillThings(urls, settings, say)
  say(`Filled in ${((performance.now() - started) / 1000).toFixed(0)} s: ${things.scans} rows of history\n`)
  if (settings.fillOnly) return true
  await announceLocations(stack, nc, urls.admin)
  const questions = questionsAbout(things).filter(({ name }) =>
    settings.only.some((part) => name.includes(part)),
  )
  const effort = { ...settings.effort, isMoving: settings.ingest }
  const compared = settings.ingest
    ? await whileWriting(await startWriting(stack, nc, { orgId: ORG_ID, ...things }, NEW_ROWS), say, () =>
        compareAll(stack, questions, effort),
      )
    : await compareAll(stack, questions, effort)
  say(reportsTable(compared, CONNECTIONS))
  say(await measureCsv(stack))
  const verdicts = verdictsOf(compared)
  say(verdictTable(verdicts))
  return verdicts.every(({ reached }) => reached)
}

async function whileWriting<T>(writing: Writing, say: Say, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    say(`\nMeanwhile ${(await writing.stop()).toFixed(0)} new rows a second were written.\n`)
  }
}

async function compareAll(
  stack: Stack,
  questions: ReturnType<typeof questionsAbout>,
  effort: Effort,
): Promise<Compared[]> {
  const ways = [
    () => atServices(stack),
    () => bareSql(adminUrl(stack), 'set search_path = tracking, extensions; set jit = off'),
  ]
  const open: Way[][] = await Promise.all(
    ways.map((one) => Promise.all(Array.from({ length: CONNECTIONS }, one))),
  )
  try {
    const compared: Compared[] = []
    for (const question of questions) compared.push(await alternate(question, open, effort))
    return compared
  } finally {
    await Promise.all(open.flat().map((way) => way.close()))
  }
}

/** Asks catalog for its list and tracking for all others. */
async function atServices(stack: Stack): Promise<Way> {
  const [tracking, catalog] = [await atService(stack, 'tracking'), await atService(stack, 'catalog')]
  return {
    ask: (asked) => (asked.path.startsWith(`${LEGACY_ASSETS}?`) ? catalog : tracking).ask(asked),
    async close() {
      await tracking.close()
      await catalog.close()
    },
  }
}
