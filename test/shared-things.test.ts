import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const HEADING = '## Shared things, and the share of one organization'

/** The rows of the table in docs/security.md: the thing, files, share, share of an address, what happens, tests. */
function rowsOf(page: string): string[][] {
  const section = page.slice(page.indexOf(HEADING)).split('\n## ')[0] ?? ''
  const lines = section.split('\n').filter((line) => line.startsWith('| '))
  return lines.slice(1).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  ) // without the heading
}

const rows = rowsOf(readFileSync(join(ROOT, 'docs/security.md'), 'utf8')).filter(
  ([thing]) => !/^-+$/.test(thing ?? '-'),
)
const namesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

/** Files are named from `services` or `libs`. */
const pathOf = (file: string) =>
  ['services', 'libs'].map((folder) => join(ROOT, folder, file)).find((path) => existsSync(path))

/** Ways to make something that several organizations use at a time. */
const SHARED =
  /new (?:FairGate|LRUCache|LocalBuckets|RateBuckets|WriteBehind|FairQueue|StateBudget)\b|\b(?:sharedBuckets|openTenantDatabase|openPipeline|limitTransfers|bodyBudget|createWaitingRoom)\b[<(]/

/** Where they are defined, and where one process serves one caller. */
const EXEMPT = new Set([
  'db/src/tenant/pipeline.ts',
  'messaging/src/consume/fair-queue.ts',
  'tracking/src/write-behind.ts',
  'service-kit/src/limits/rate-buckets.ts',
])

/** The source files of services and libs, without their tests, the clients and the web app. */
function sources(): string[] {
  return ['services', 'libs'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).flatMap((part) => {
      const source = join(ROOT, folder, part, 'src')
      if (!existsSync(source) || part.startsWith('client') || part === 'testing') return []
      const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
      return files
        .filter((file) => file.endsWith('.ts') && !/\.(?:test|fixture)\.ts$|\/ops\/|\/restore\//.test(file))
        .map((file) => join(part, 'src', file))
    }),
  )
}

test('each thing that organizations share has a row', () => {
  const named = new Set(rows.flatMap(([, where]) => namesIn(where)))
  const found = sources().filter(
    (file) =>
      !EXEMPT.has(file) &&
      SHARED.test(readFileSync(pathOf(file) ?? '', 'utf8').replaceAll(/^import .*$/gm, '')),
  )
  expect(found.length).toBeGreaterThan(25)
  expect(found.filter((file) => !named.has(file))).toEqual([])
})

test('each stream of the broker has a row', () => {
  const topology = readFileSync(join(ROOT, 'libs/messaging/src/connect/topology.ts'), 'utf8')
  const table = topology.slice(
    topology.indexOf('export const streams'),
    topology.indexOf('satisfies Record<string, Stream>'),
  )
  const streams = [...table.matchAll(/^  (\$?[A-Z][\w]+): \{/gm)].map(([, name = '']) => name)
  expect(streams.length).toBeGreaterThan(10)
  const things = rows.map(([thing]) => thing).join(' ')
  expect(streams.filter((name) => !things.includes(name))).toEqual([])
})

test.for(rows.map((row) => [row[0] ?? '', row] as const))(
  '%s: files and tests exist, and no cell is empty',
  ([, row]) => {
    expect(row).toHaveLength(6)
    expect(row.every((cell) => cell !== '')).toBe(true)
    expect(namesIn(row[1]).filter((file) => pathOf(file) === undefined)).toEqual([])
    const tests = namesIn(row[5])
    expect(tests.length).toBeGreaterThan(0)
    expect(tests.filter((name) => !existsSync(join(ROOT, 'test', `${name}.test.ts`)))).toEqual([])
  },
)
