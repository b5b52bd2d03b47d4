import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { publicDescription } from '@whereabouts/contracts/description/openapi'
import { scopes } from '@whereabouts/contracts/route'
import { brunoFiles } from '@whereabouts/deploy/workshop/clients/collections/bruno'
import { postmanCollection } from '@whereabouts/deploy/workshop/clients/collections/postman'
import { collect } from '@whereabouts/deploy/workshop/clients/collections/requests'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { mintKey, newOrganization } from '../system/organization.ts'
import type { System } from '../system/system.ts'
import { runBruno, type Answer, type Variables } from './bruno-runner.ts'
import { test } from './flow.fixture.ts'

type Execution = { item: { name: string }; response?: { code: number; stream: { data: number[] } } }
type Report = { run: { executions: Execution[]; failures: { error: { message: string } }[] } }

const NEWMAN = fileURLToPath(import.meta.resolve('newman/bin/newman.js'))
const description = publicDescription()
const collection = collect(description)
const operations = Object.values(description.paths ?? {}).flatMap((item) => Object.keys(item as object))

let folder: string
let system: System
test.beforeAll(({ system: shared }) => {
  system = shared
})
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whereabouts-collections-'))
  for (const [path, text] of brunoFiles(collection)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What people enter: with the slash that a browser shows at the end of an address. */
async function variablesOf(name: string) {
  const { base } = system.stack.urls
  const org = await newOrganization(system.stack, name)
  const { clientId, clientSecret } = await mintKey(org.admin, org.id, 'collection', [...scopes])
  return { baseUrl: `${base}/`, client_id: clientId, client_secret: clientSecret }
}

/** Runs a collection as Postman does. `after`: a script after each request. */
async function runPostman(variables: Record<string, string>, args: string[] = [], after?: string) {
  const file = join(folder, 'collection.json')
  const report = join(folder, 'report.json')
  const made = postmanCollection(collection) as { event: object[] }
  const script = { listen: 'test', script: { exec: [after ?? ''] } }
  writeFileSync(file, JSON.stringify({ ...made, event: [...made.event, script] }))
  const given = Object.entries(variables).flatMap(([name, value]) => ['--env-var', `${name}=${value}`])
  const output = ['--reporters', 'json', '--reporter-json-export', report, '--suppress-exit-code']
  await promisify(execFile)(process.execPath, [NEWMAN, 'run', file, ...given, ...args, ...output])
  const { run } = JSON.parse(readFileSync(report, 'utf8')) as Report
  const answers = run.executions.map(({ item, response }) => ({
    name: item.name,
    status: response?.code ?? 0,
    text: Buffer.from(response?.stream.data ?? []).toString(),
  }))
  return { answers, errors: run.failures.map(({ error }) => error.message) }
}

const foldersOf = () =>
  collection.folders.map(({ name }) => name).filter((name) => readdirSync(folder).includes(name))

/** What a new organization cannot do: it has no such thing, or the key is not that of the reader. */
const REFUSED = [
  'Save the current location of assets 400 fk_not_found',
  'Retrieve an alert 404',
  'Acknowledge an alert 404',
  'List the last messages of a reader with a problem, with the key of the reader 403',
  'Send an event again 404',
  'Retrieve a delivery 404',
  'Send an event again 404',
]

function refusedOf(answers: readonly Answer[]): string[] {
  return answers
    .filter(({ status }) => status < 200 || status > 299)
    .map(({ name, status, text }) => {
      expect(text).not.toContain('Unknown API route')
      const { fields = [] } = (JSON.parse(text) as { error: { fields?: { code: string }[] } }).error
      return [name, status, ...new Set(fields.map(({ code }) => code))].join(' ')
    })
}

test('Postman runs every operation, from top to bottom', async () => {
  const { answers, errors } = await runPostman(await variablesOf('Postman'))
  expect(errors).toEqual([])
  expect(answers).toHaveLength(operations.length)
  expect(refusedOf(answers)).toEqual(REFUSED)
})

test('Bruno runs every operation, from top to bottom', async () => {
  const answers = await runBruno(folder, foldersOf(), await variablesOf('Bruno'))
  expect(answers).toHaveLength(operations.length)
  expect(refusedOf(answers)).toEqual(REFUSED)
})

describe.each([
  ['has ended', { token_owner: undefined, token_ends: 1 }],
  ['is that of another key', { token_owner: 'another', token_ends: Date.now() + 3_600_000 }],
] as const)('a token that %s is never sent', (_, state) => {
  test('by Postman: each request has a new one', async () => {
    const lines = Object.entries({ ...state, access_token: 'stale' })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `pm.collectionVariables.set('${name}', '${value}')`)
    const repeat = ['--folder', 'Organization', '--iteration-count', '3']
    const { answers, errors } = await runPostman(await variablesOf('Renewal'), repeat, lines.join('\n'))
    expect(errors).toEqual([])
    // newman reports the request of a token as one more of the request that it is for.
    const statuses = [200, 200, 201, 200, 204].flatMap((status) => [status, status])
    expect(answers.map(({ status }) => status)).toEqual([...statuses, ...statuses, ...statuses])
  })

  test('by Bruno: each request has a new one', async () => {
    const spoil = (runtime: Variables) => {
      for (const [name, value] of Object.entries({ ...state, access_token: 'stale' }))
        if (value !== undefined) runtime.set(name, value)
    }
    const thrice = Array<string>(3).fill('Organization')
    const answers = await runBruno(folder, thrice, await variablesOf('Renewal'), spoil)
    expect(answers.map(({ status }) => status)).toEqual(thrice.flatMap(() => [200, 200, 201, 200, 204]))
  })
})

test('without a variable nothing is sent, and the error names it', async () => {
  const variables = { ...(await variablesOf('Nobody')), client_secret: '' }
  const { answers, errors } = await runPostman(variables, ['--folder', 'Limits'])
  expect(answers).toEqual([])
  expect(errors[0]).toBe('Set client_secret in the variables of the collection.')
  await expect(runBruno(folder, ['Limits'], variables)).rejects.toThrow(
    'Choose the environment Whereabouts, and set client_secret there.',
  )
})

test('a refused key stops with what the system answers', async () => {
  const variables = { ...(await variablesOf('Refused')), client_secret: 'wrong' }
  const { answers, errors } = await runPostman(variables, ['--folder', 'Limits'])
  expect(answers.map(({ text }) => text)).toEqual([expect.stringContaining('/api/v1/oauth/token')])
  expect(errors[0]).toMatch(/^No token: 401 .*unauthorized/)
  await expect(runBruno(folder, ['Limits'], variables)).rejects.toThrow(/^No token: 401 .*unauthorized/)
})
