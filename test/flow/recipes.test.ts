import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { webhookSignature } from '@whereabouts/client/webhooks'
import { afterAll, expect } from 'vitest'
import type { System } from '../system/system.ts'
import { test } from './flow.fixture.ts'
import { hasProgram } from './guide.ts'
import { installClient } from './packed-client.ts'
import { installPythonClient } from './packed-python-client.ts'
import { answersOf, type Delivery } from './recipe-receiver.ts'
import { recipesOfPage, type Language } from './recipe-page.ts'
import { addYesterday, prepareScene, type Scene } from './recipe-scene.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const [setup, ...recipes] = recipesOfPage()
const ENDINGS: Record<Language, string> = { curl: 'sh', TypeScript: 'ts', Python: 'py' }

/** Where the programs of a language run: a folder, and an organization of their own. */
type Place = { language: Language; command: string; folder: string; scene: Scene; env: NodeJS.ProcessEnv }

let system: System
let folder: string
let places: Place[]

test.beforeAll(async ({ system: shared }) => {
  system = shared
  folder = mkdtempSync(join(tmpdir(), 'whereabouts-recipes-'))
  const commands: Record<Language, string | undefined> = {
    curl: hasShellPrograms() ? 'bash' : undefined,
    TypeScript: process.execPath,
    Python: await installPythonClient(folder),
  }
  const languages = (Object.keys(commands) as Language[]).filter((language) => commands[language])
  places = await Promise.all(languages.map((language) => preparePlace(language, commands[language] ?? '')))
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** jq and openssl are on fewer machines than the others. */
function hasShellPrograms(): boolean {
  const runs = (name: string, argument: string) =>
    spawnSync(name, [argument], { stdio: 'ignore' }).status === 0
  const hasBoth = runs('jq', '--version') && runs('openssl', 'version')
  if (!hasBoth) process.stderr.write('The recipes in curl are not tested: they need jq and openssl\n')
  return hasBoth && hasProgram('bash') && hasProgram('curl')
}

async function preparePlace(language: Language, command: string): Promise<Place> {
  const place = join(folder, language)
  mkdirSync(place)
  if (language === 'TypeScript') await installClient(place)
  const connection = setup?.programs.find((program) => program.language === language)?.text ?? ''
  writeFileSync(join(place, `connection.${ENDINGS[language]}`), connection)
  const scene = await prepareScene(system.stack)
  const { integratorKey, login } = scene.org
  const env = {
    ...process.env,
    BASE: system.stack.urls.base,
    CLIENT_ID: integratorKey.clientId,
    CLIENT_SECRET: integratorKey.clientSecret,
    EMAIL: login.email,
    PASSWORD: login.password,
    WEBHOOK_URL: 'http://127.0.0.1:9/hook',
    WEBHOOK_SECRET: 'whsec_recipes',
  }
  return { language, command, folder: place, scene, env }
}

/** What a recipe prints, with ids, times and secrets replaced. `before` prepares what the program finds. */
type Run = { before?: (place: Place) => unknown; prints: string[] }

const withList = (list: string, ...prints: string[]): Run => ({
  before: ({ folder: place }) => writeFileSync(join(place, 'assets.csv'), `external_key,name\n${list}`),
  prints,
})

const SIGNATURE = 'Is this delivery genuine?'
const RUNS: Record<string, Run[]> = {
  'Check a key': [
    {
      prints: [
        'Recipes: assets:read assets:write events:read locations:read locations:write scans:read scans:write',
      ],
    },
  ],
  'Create an asset or change it, safely twice': [
    { prints: ['PUMP-17 created', 'PUMP-17 unchanged', 'PUMP-17 updated'] },
  ],
  'Load a list of assets from a CSV file every night': [
    withList('BELT-1,Belt 1\nBELT-2,Belt 2\n', 'BELT-1 created', 'BELT-2 created'),
    withList('BELT-1,Belt\n', 'BELT-1 updated', 'BELT-2 retired'),
    withList('BELT-1,Belt\nBELT-2,Belt 2\n', 'BELT-2 updated'),
  ],
  'Build a tree of locations': [
    { prints: ['SITE created', 'SITE-OFFICE created', 'SITE-STORE created', 'SITE-STORE-A created'] },
    { prints: ['SITE unchanged', 'SITE-OFFICE unchanged', 'SITE-STORE unchanged', 'SITE-STORE-A unchanged'] },
  ],
  'Find the asset of a tag': [{ prints: ['FORKLIFT-7 Forklift 7'] }],
  'Where is this asset?': [{ prints: ['FORKLIFT-7 HALL-1-DOCK TIME'] }],
  'What is in this building?': [{ prints: ['Forklift 7 in Dock', 'Pallet 1 in Shelf'] }],
  'Where was everything last Monday at 8:00?': [
    { prints: ['FORKLIFT-7 YARD', 'PALLET-1 YARD', 'PALLET-2 YARD'] },
  ],
  'How long was it where yesterday?': [
    {
      before: ({ scene }) => addYesterday(system.stack, scene),
      prints: ['YARD 480', 'HALL-1-DOCK 540', 'HALL-1-SHELF 420'],
    },
  ],
  'What was not seen for a week?': [{ prints: ['PALLET-2 YARD TIME'] }],
  'Read all pages of a long list': [{ prints: ['450 rows, the oldest of TIME'] }],
  'Take an inventory': [{ prints: ['PALLET-1 is at HALL-1-SHELF', 'PALLET-2 is at HALL-1-SHELF'] }],
  'Register a webhook': [{ prints: ['http://127.0.0.1:9/hook has the secret SECRET'] }],
  'Reconcile after an outage': [
    { before: writePlaces, prints: ['FORKLIFT-7 is at HALL-1-DOCK', 'PALLET-2 is at HALL-1-SHELF'] },
    { prints: [] },
  ],
  'Wait when the rate limit is reached': [
    { before: useUpTheLimit, prints: ['Forklift 7', 'Pallet 1', 'Pallet 2'] },
  ],
}

/** The event of FORKLIFT-7 is older than its row, that of PALLET-1 is newer; PALLET-2 has none. */
function writePlaces({ folder: place, scene: { ids } }: Place): void {
  const known = {
    [String(ids['FORKLIFT-7'])]: { location: 'YARD', as_of: '2026-01-01T00:00:00.000Z' },
    [String(ids['PALLET-1'])]: { location: 'YARD', as_of: '2999-01-01T00:00:00.000Z' },
  }
  writeFileSync(join(place, 'places.json'), JSON.stringify(known))
}

async function useUpTheLimit({ scene: { org } }: Place): Promise<void> {
  const read = () => org.integrator.GET('/api/v1/locations', { params: { query: { limit: 1 } } })
  let isUsedUp = false
  while (!isUsedUp) {
    const answers = await Promise.all(Array.from({ length: 20 }, read))
    isUsedUp = answers.some(({ response }) => response.status === 429)
  }
}

test('every section has a program in each language, or one of curl that the test knows', () => {
  const sections = recipes.filter(({ title }) => title !== SIGNATURE).map(({ title }) => title)
  expect(sections).toEqual(Object.keys(RUNS))
  for (const { title, programs } of [setup, ...recipes].flatMap((recipe) => recipe ?? []))
    expect([title, programs.map(({ language }) => language)]).toEqual([
      title,
      title === 'Register a webhook' ? ['curl'] : ['curl', 'TypeScript', 'Python'],
    ])
})

/** Writes the program into the folder of its language. Resolves with its name. */
function store({ language, folder: place }: Place, title: string): string | undefined {
  const program = recipes
    .find((recipe) => recipe.title === title)
    ?.programs.find((one) => one.language === language)
  if (!program) return undefined
  const name = `${title.toLowerCase().replaceAll(/\W+/g, '-')}.${ENDINGS[language]}`
  writeFileSync(join(place, name), program.text)
  return name
}

const comparable = (output: string): string[] =>
  output
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replaceAll(/whsec_\w+/g, 'SECRET')
    .split('\n')
    .filter((line) => line !== '')

test.for(Object.entries(RUNS))('%s', async ([title, runs], { skip }) => {
  for (const { before, prints } of runs) {
    const printed = await Promise.all(
      places.map(async (place) => {
        const name = store(place, title)
        if (name === undefined) return {}
        await before?.(place)
        const { stdout } = await run(place.command, [name], { cwd: place.folder, env: place.env })
        return { [place.language]: comparable(stdout) }
      }),
    )
    const got = Object.assign({}, ...printed) as Record<string, string[]>
    skip(Object.keys(got).length === 0, 'needs curl, jq and openssl')
    expect(got).toEqual(Object.fromEntries(Object.keys(got).map((language) => [language, prints])))
  }
})

/** Genuine, signed with another secret, and an hour late. */
async function deliveries(): Promise<Delivery[]> {
  const location = { id: 1, name: 'Dock № 1' }
  const data = {
    asset: { id: 2, external_key: 'PUMP-17', name: 'Pump' },
    from_location: null,
    to_location: location,
  }
  const body = JSON.stringify({ event: 'asset.moved', delivery_id: 'a', occurred_at: 'b', data })
  const now = Math.floor(Date.now() / 1000)
  const signed = async (at: number, secret: string): Promise<Delivery> => {
    const timestamp = String(at)
    return { body, timestamp, signature: await webhookSignature(body, timestamp, secret) }
  }
  return Promise.all([
    signed(now, 'whsec_recipes'),
    signed(now, 'whsec_other'),
    signed(now - 3600, 'whsec_recipes'),
  ])
}

test(SIGNATURE, async () => {
  const sent = await deliveries()
  for (const place of places) {
    const program = join(place.folder, store(place, SIGNATURE) ?? '')
    const printed =
      place.language === 'curl'
        ? await checksOf(place, program, sent)
        : await answersOf({ ...place, program }, sent)
    expect({ [place.language]: printed }).toEqual({
      [place.language]: ['204 PUMP-17 is at Dock № 1', '400 forged', '204 late: reconcile'],
    })
  }
})

async function checksOf({ command, folder: cwd, env }: Place, program: string, sent: Delivery[]) {
  const printed: string[] = []
  for (const { body, timestamp, signature } of sent) {
    writeFileSync(join(cwd, 'delivery.json'), body)
    const kept = { ...env, TIMESTAMP: timestamp, SIGNATURE: signature }
    const { stdout } = await run(command, [program], { cwd, env: kept })
    printed.push(stdout.trim())
  }
  return printed
}

test('TypeScript finds no mistake in the programs', async () => {
  const place = places.find(({ language }) => language === 'TypeScript')
  if (!place) throw new Error('Node runs everywhere')
  const names = [...Object.keys(RUNS), SIGNATURE].flatMap((title) => store(place, title) ?? [])
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json')
  const compilerOptions = {
    strict: true,
    noEmit: true,
    noUncheckedIndexedAccess: true,
    module: 'nodenext',
    target: 'esnext',
    allowImportingTsExtensions: true,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  }
  writeFileSync(join(place.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: names }))
  const args = [join(dirname(typescript), 'bin/tsc'), '--project', place.folder, '--pretty', 'false']
  const { stdout } = await run(process.execPath, args).catch((error: { stdout: string }) => error)
  expect(stdout).toBe('')
})
