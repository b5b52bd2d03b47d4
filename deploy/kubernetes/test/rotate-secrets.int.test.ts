import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { generateSecrets } from '../../installation/secrets.ts'
import { secretManifests } from '../secret-manifests.ts'

type Secret = {
  kind: string
  metadata: { name: string; namespace: string; resourceVersion: string }
  type: string
  data: Record<string, string>
}

/** What `kubectl get secret -o json` prints. */
function installed(): Secret[] {
  const made = secretManifests(generateSecrets(), { namespace: 'here', database: 'whereabouts' })
  return made.map(({ kind, type, metadata, stringData }, i) => ({
    kind,
    type,
    metadata: { ...metadata, resourceVersion: String(i) },
    data: Object.fromEntries(
      Object.entries(stringData).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
    ),
  }))
}

function rotate(args: string[], items: readonly Secret[]) {
  const program = join(import.meta.dirname, '../rotate-secrets.ts')
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    input,
  })
  const changed = status === 0 ? (JSON.parse(stdout) as { items: Secret[] }).items : []
  return { status, stdout, stderr, changed }
}

/** As `kubectl replace`, which refuses another version. */
function replaced(items: readonly Secret[], changed: readonly Secret[]): Secret[] {
  return items.map((item) => {
    const other = changed.find(({ metadata }) => metadata.name === item.metadata.name)
    if (!other) return item
    expect({ ...other, data: {} }).toEqual({ ...item, data: {} })
    return other
  })
}

test('prints the Secrets that change in each step, and is done after three', () => {
  const before = installed()
  const first = rotate(['take-both', 'broker', 'principal'], before)
  expect(first.stderr).toBe('changes gateway, catalog, tracking, keys, webhook-dispatcher, topology\n')
  const both = replaced(before, first.changed)
  const second = rotate(['use-new'], both)
  expect(second.stderr).toBe('changes gateway, nats\n')
  const used = replaced(both, second.changed)
  const after = replaced(used, rotate(['drop-old'], used).changed)
  expect(after.find(({ metadata }) => metadata.name === 'nats')).not.toEqual(
    before.find(({ metadata }) => metadata.name === 'nats'),
  )
  for (const step of ['use-new', 'drop-old']) expect(rotate([step], after).stderr).toBe('nothing to change\n')
})

test.for<[string, string[], (items: Secret[]) => Secret[]]>([
  ['see --help', [], (items) => items],
  ['take-both needs one or more of database, broker, principal', ['take-both'], (items) => items],
  ['unknown: everything', ['take-both', 'everything'], (items) => items],
  ['the input lacks the Secrets', ['use-new'], (items) => items.slice(1)],
])('says what is wrong (%s) and prints no Secret', ([problem, args, change]) => {
  const { status, stdout, stderr } = rotate(args, change(installed()))
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(problem)
})

test('--help prints the usage', () => {
  const { stdout } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, '../rotate-secrets.ts'), '--help'],
    {
      encoding: 'utf8',
    },
  )
  expect(stdout).toContain('take-both KIND')
})
