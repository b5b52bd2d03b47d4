import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { dockerIgnore, reachableFrom } from './image-context.fixture.ts'

const ROOT = resolve(import.meta.dirname, '..')
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
const files = tracked.trim().split('\n')
const matching = (pattern: RegExp) => files.filter((file) => pattern.test(file))

/** The commands that the image runs: docker-compose.yml, k8s/ and docs/ name them. */
const ENTRIES = [
  ...matching(/^services\/[\w-]+\/src\/(.*\/)?(main|republish)\.ts$/),
  ...matching(/^services\/[\w-]+\/migrations\/[^/]+\.ts$/).filter(
    (file) => !/\.(test|fixture)\.ts$/.test(file),
  ),
  'deploy/migrate.ts',
  'deploy/move-database.ts',
  'deploy/apply-topology.ts',
  'deploy/dead-letters.ts',
  'deploy/backup/after-restore.ts',
  'deploy/kubernetes/make-secrets.ts',
  'deploy/kubernetes/rotate-secrets.ts',
  'deploy/compose/make-env.ts',
  'deploy/nats/make-reader-accounts.ts',
]

/** Files that no entry point imports. */
const OTHERS: Record<string, RegExp> = {
  'pnpm and Node read them': /(^|\/)package\.json$|^pnpm-.*\.yaml$|^\.pnpmfile\.mjs$|^\.node-version$/,
  'who gets the image gets the licenses of what is in it': /^NOTICE$/,
  'the build fetches pnpm with them; its last step deletes them':
    /^deploy\/workshop\/launch\/((\w|-)+\.mjs|tools-lock\.json)$/,
  'vite builds the console and the documentation from them; the last step deletes them':
    /^docs\/|^services\/console\/web\/|^libs\/client\/src\/|^tsconfig\.base\.json$/,
  'the packages of the clients are built from them; the last step deletes them':
    /^libs\/client\/package\/|^libs\/client-python\/|^deploy\/workshop\/(?:clients|release)\//,
}

const reachable = reachableFrom(ENTRIES)
const isIgnored = dockerIgnore()

test('every file that the entry points import is in the image', () => {
  expect(ENTRIES.length).toBeGreaterThan(50)
  expect(reachable.size).toBeGreaterThan(400)
  expect([...reachable].filter(isIgnored)).toEqual([])
})

test('every page of the documentation is in the image, so that the site can be built', () => {
  const pages = matching(/^docs\/.*\.md$/)
  expect(pages.length).toBeGreaterThan(100)
  expect(pages.filter(isIgnored)).toEqual([])
  expect(isIgnored('docs/node_modules/vitepress/README.md')).toBe(true)
})

test('every file in the image is imported from an entry point, or listed with a reason', () => {
  const reasons = Object.values(OTHERS)
  const stray = files.filter(
    (file) => !isIgnored(file) && !reachable.has(file) && !reasons.some((pattern) => pattern.test(file)),
  )
  expect(stray).toEqual([])
})
