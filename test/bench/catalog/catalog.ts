import { databaseUrl } from '@whereabouts/deploy/database/roles'
import { startStack, type Stack } from '@whereabouts/deploy/local/stack'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { verdictTable } from '../edge/report.ts'
import { machine } from '../load/machine.ts'
import { alternate, type Compared, type Effort } from './alternate.ts'
import { fillCatalog, NEIGHBOURS, neighbourSize, ORG_ID, sizeOf, type Filled } from './fill.ts'
import { questionsAbout, type Question } from './questions.ts'
import { comparisonTable, securityTable, verdictsOf } from './report.ts'
import { atFloor, atService, bareSql, startFloor, type Way } from './ways.ts'

export const CATALOG_HELP = `pnpm bench catalog [flags]    what the service costs beyond its SQL: over HTTP and as bare statements, side by side

  --assets N        of the organization that is asked, 1000 to 200000    default 200000
  --only TEXT       questions whose name contains it
  --effort X        scales how long is measured, 0.1 to 5                default 1
`

const CONNECTIONS = 8

type Settings = { assets: number; only: string; effort: Effort }

function readSettings(args: string[]): Settings {
  const { values } = parseArgs({
    args,
    options: {
      assets: { type: 'string', default: '200000' },
      only: { type: 'string', default: '' },
      effort: { type: 'string', default: '1' },
    },
  })
  const [assets, scale] = [Number(values.assets), Number(values.effort)]
  if (!(Number.isInteger(assets) && assets >= 1_000 && assets <= 200_000))
    throw new Error('--assets is 1000 to 200000')
  if (!(scale >= 0.1 && scale <= 5)) throw new Error('--effort is a number from 0.1 to 5')
  const effort = { rounds: 5, aloneMs: 700 * scale, togetherMs: 700 * scale, fewest: 10 }
  return { assets, only: values.only, effort }
}

/** Starts catalog on throwaway data, fills it, measures, prints tables. Answers whether every target was reached. */
export async function benchCatalog(args: string[], say: (text: string) => void): Promise<boolean> {
  const { assets, only, effort } = readSettings(args)
  const folder = mkdtempSync(join(tmpdir(), 'whereabouts-bench-'))
  chmodSync(folder, 0o755) // as root, PostgreSQL runs as another user, who must get in
  let stack: Stack | undefined
  try {
    say(`${machine()}\nStarting catalog …\n`)
    stack = await startStack({ dataDir: join(folder, 'data'), services: ['catalog'] })
    const filled = await fill(stack, assets, say)
    const questions = questionsAbout(filled).filter(({ name }) => name.includes(only))
    const compared = await compareWithSql(stack, questions, effort)
    say(comparisonTable(compared, CONNECTIONS))
    say(securityTable(await compareRoles(stack, questions, effort)))
    const verdicts = verdictsOf(compared)
    say(verdictTable(verdicts))
    return verdicts.every(({ reached }) => reached)
  } finally {
    await stack?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** As the owner of catalog's tables. */
const ownerUrl = ({ urls, secrets }: Stack): string =>
  databaseUrl(urls.postgres, 'whereabouts', { name: 'catalog', password: secrets.database_passwords.catalog })

async function fill(stack: Stack, assets: number, say: (text: string) => void): Promise<Filled> {
  const size = sizeOf(assets)
  const text = ({ assets: a, tags, locations }: typeof size) =>
    `${a} assets, ${tags} tags, ${locations} locations`
  say(
    `Filling: ${text(size)}; beside it ${NEIGHBOURS} organizations with ${text(neighbourSize(size))} each …\n`,
  )
  return fillCatalog(ownerUrl(stack), size)
}

async function compareWithSql(
  stack: Stack,
  questions: readonly Question[],
  effort: Effort,
): Promise<Compared[]> {
  const floor = await startFloor(ownerUrl(stack))
  const ways = [
    () => atService(stack.urls.api.catalog, stack.secrets.principal_private_key),
    () => bareSql(ownerUrl(stack)),
    () => atFloor(floor.origin),
  ]
  try {
    return await withWays(ways, (open) => compareAll(questions, open, effort))
  } finally {
    await floor.stop()
  }
}

async function compareAll(
  questions: readonly Question[],
  ways: readonly (readonly Way[])[],
  effort: Effort,
): Promise<Compared[]> {
  const compared: Compared[] = []
  for (const question of questions) compared.push(await alternate(question, ways, effort))
  return compared
}

/** The hand-written reads as a role that row-level security binds, and as the owner, whom it does not. */
async function compareRoles(
  stack: Stack,
  questions: readonly Question[],
  effort: Effort,
): Promise<Compared[]> {
  const tenant = `set role catalog_tenant; set whereabouts.org_id = '${ORG_ID}'`
  const reads = questions.filter(({ name, ask }) => ask(0).request.method === 'GET' && !name.startsWith('q:'))
  const ways = [() => bareSql(ownerUrl(stack), tenant), () => bareSql(ownerUrl(stack))]
  return withWays(ways, (open) => compareAll(reads, open, { ...effort, togetherMs: 0 }))
}

/** Opens the connections of each way, and closes them whatever happens. */
async function withWays<T>(
  open: readonly (() => Promise<Way>)[],
  use: (ways: Way[][]) => Promise<T>,
): Promise<T> {
  const ways = await Promise.all(open.map((one) => Promise.all(Array.from({ length: CONNECTIONS }, one))))
  try {
    return await use(ways)
  } finally {
    await Promise.all(ways.flat().map((way) => way.close()))
  }
}
