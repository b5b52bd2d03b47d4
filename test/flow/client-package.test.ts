import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect } from 'vitest'
import { newOrganization } from '../system/organization.ts'
import type { System } from '../system/system.ts'
import { test } from './flow.fixture.ts'
import { installClient, oldestNode } from './packed-client.ts'

const run = promisify(execFile)
const nodes = [...new Set([process.execPath, oldestNode])]
const README = new URL('../../libs/client/package/README.md', import.meta.url)

/** The programs of the package's README, in order. */
const programs = [...readFileSync(README, 'utf8').matchAll(/^```js\n([^]*?)^```$/gm)].map(
  ([, text = '']) => text,
)

let folder: string
let system: System
test.beforeAll(({ system: shared }) => {
  system = shared
})
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whereabouts-client-'))
  await installClient(folder)
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a program in the folder with a key of a new organization. Resolves with the lines that it prints. */
async function runProgram(name: string, text: string, node = process.execPath): Promise<string[]> {
  writeFileSync(join(folder, name), text)
  const { integratorKey } = await newOrganization(system.stack, 'Package')
  const key = { CLIENT_ID: integratorKey.clientId, CLIENT_SECRET: integratorKey.clientSecret }
  const env = { ...process.env, BASE: system.stack.urls.base, ...key }
  const { stdout } = await run(node, [name], { cwd: folder, env })
  return stdout.trim().split('\n')
}

test.for(nodes)('the first program of the README says where its asset is: %s', async (node) => {
  const [line] = await runProgram('first.js', programs[0] ?? '', node)
  expect(line).toMatch(/^PUMP-17 DOCK-1 \d{4}-/)
})

test('a program of at most 25 lines takes assets from a CSV file and saves an inventory', async () => {
  const [, program = ''] = programs
  expect(program.trim().split('\n').length).toBeLessThanOrEqual(25)
  writeFileSync(
    join(folder, 'assets.csv'),
    'external_key,name\nA-1,Forklift\nA-2,Pallet\nA-1,Forklift 1\nA-1,Forklift 1\n',
  )
  const lines = await runProgram('csv.js', program)
  expect(lines.slice(0, 4)).toEqual(['A-1 created', 'A-2 created', 'A-1 updated', 'A-1 unchanged'])
  expect(lines.slice(4).toSorted()).toEqual(['A-1 is at DOCK-2', 'A-2 is at DOCK-2'])
})

test('CommonJS has the same functions, and an error has its request id', async () => {
  const lines = await runProgram(
    'old.cjs',
    `const { createWhereabouts, ApiError, unwrap } = require('@whereabouts/client')
     const { BASE: baseUrl, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = process.env
     const whereabouts = createWhereabouts({ baseUrl, clientId, clientSecret, userAgent: 'old/1' })
     whereabouts.api.GET('/api/v1/assets/{asset_id}', { params: { path: { asset_id: 1 } } }).then(unwrap).catch((error) =>
       console.log(error instanceof ApiError, error.status, error.error.type, /^[0-9A-Z]{26}$/.test(error.requestId)))`,
  )
  expect(lines).toEqual(['true 404 not_found true'])
})

test.for(nodes)(
  'a refused token is replaced and the request repeated; tags are added, a taken one is refused: %s',
  async (node) => {
    const lines = await runProgram(
      'tags.js',
      `import { createWhereabouts } from '@whereabouts/client'
     const { BASE: baseUrl, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = process.env
     let refused = 0
     const spoiling = (request) => {
       const spoilt = new Request(request)
       if (refused++ === 1) spoilt.headers.set('authorization', 'Bearer ended')
       return fetch(spoilt)
     }
     const whereabouts = createWhereabouts({ baseUrl, clientId, clientSecret, userAgent: 'tags/1', fetch: spoiling })
     const tag = (value) => ({ tag_type: 'rfid', value })
     const fields = { name: 'Crate', metadata: { b: [1, { c: 2 }], a: null }, valid_from: '2026-01-01T01:00:00+01:00' }
     console.log((await whereabouts.upsertAsset('C-1', { ...fields, tags: [tag('AA')] })).outcome)
     console.log((await whereabouts.upsertAsset('C-1', { ...fields, tags: [tag('AA')] })).outcome)
     const both = await whereabouts.upsertAsset('C-1', { ...fields, tags: [tag('BB')] })
     console.log(both.outcome, both.tags.map(({ value }) => value).sort().join())
     await whereabouts.upsertAsset('C-1', { ...fields, valid_to: '2026-01-02T00:00:00Z' })
     console.log((await whereabouts.upsertAsset('C-1', { name: 'Of the past' })).outcome)
     console.log(await whereabouts.upsertAsset('C-2', { name: 'Other', tags: [tag('AA')] }).catch(({ status }) => status))`,
      node,
    )
    expect(lines).toEqual(['created', 'unchanged', 'updated AA,BB', 'updated', '409'])
  },
)

test.for([
  ['ES modules', 'main.ts', 'module'],
  ['CommonJS', 'main.cts', 'commonjs'],
] as const)('TypeScript finds the types in %s, and refuses what the API would', async ([, name]) => {
  writeFileSync(
    join(folder, name),
    `import { createWhereabouts, type Asset, unwrap } from '@whereabouts/client'
     export async function names(): Promise<string[]> {
       const whereabouts = createWhereabouts({ baseUrl: '', clientId: '', clientSecret: '', userAgent: 'types/1' })
       const found: string[] = []
       for await (const asset of whereabouts.rows('/api/v1/assets', { query: { q: 'pump' } })) found.push(asset.name)
       const one: Asset = unwrap(await whereabouts.api.GET('/api/v1/assets/{asset_id}', { params: { path: { asset_id: 7 } } })).data
       // @ts-expect-error a name is text
       await whereabouts.upsertAsset('A', { name: 7 })
       // @ts-expect-error no such list
       whereabouts.rows('/api/v1/nothing')
       // @ts-expect-error of the console, with a session only
       await whereabouts.api.GET('/api/v1/readers')
       return [...found, one.name]
     }`,
  )
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json')
  const flags = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2023,dom',
    '--types',
    '',
  ]
  await run(process.execPath, [join(dirname(typescript), 'bin/tsc'), ...flags, name], { cwd: folder })
})
