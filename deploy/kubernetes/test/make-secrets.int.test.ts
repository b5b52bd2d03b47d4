import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { schemaProblems } from './schemas.ts'
import type { Manifest } from './manifest.ts'

const makeSecrets = (args: string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, [join(import.meta.dirname, '../make-secrets.ts'), ...args], {
    encoding: 'utf8',
    env: { ...process.env, ADMIN_DATABASE_URL: '', ...env },
  })
const parsed = (text: string) => parseAllDocuments(text).map((document): Manifest => document.toJS())

test('prints Secrets of the namespace, with new values each time', async () => {
  const [one, two] = [makeSecrets(['--namespace', 'somewhere']), makeSecrets(['--namespace', 'somewhere'])]
  const secrets = parsed(one.stdout)
  expect(await schemaProblems(secrets)).toEqual([])
  expect(new Set(secrets.map(({ kind, metadata }) => `${kind} ${metadata.namespace}`))).toEqual(
    new Set(['Secret somewhere']),
  )
  expect(secrets.map(({ metadata }) => metadata.name)).toContain('postgres-superuser')
  expect(two.stdout).not.toBe(one.stdout)
})

test('a password with quotes in the address of an administrator survives the YAML', () => {
  const address = `postgresql://boss:%22'%23%5C@db.example/postgres`
  const secrets = parsed(makeSecrets(['--namespace', 'x'], { ADMIN_DATABASE_URL: address }).stdout)
  const migrate = secrets.find(({ metadata }) => metadata.name === 'migrate')
  expect(migrate).toMatchObject({ stringData: { ADMIN_DATABASE_URL: address } })
})

test('without a namespace nothing is printed', () => {
  const { status, stdout, stderr } = makeSecrets([])
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain('--namespace is missing')
})

test('--help prints the usage', () => {
  expect(makeSecrets(['--help'])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('kubectl create -f -'),
  })
})
