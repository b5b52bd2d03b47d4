import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'

const guides = globSync('docs/contributing/*.md')
const pages = ['CONTRIBUTING.md', ...guides]
/** In code: a path of the checkout, not one with a placeholder such as `<name>` or `NNNN`, nor a command. */
const PATH = /^(?:libs|services|deploy|test|docs|k8s)\/[\w./-]+$/

const named = pages.flatMap((page) =>
  Array.from(readFileSync(page, 'utf8').matchAll(/`([^`\n]+)`/g), ([, code = '']) => code)
    .flatMap((code) => code.split(' '))
    .filter((path) => PATH.test(path) && !path.includes('NNNN'))
    .map((path) => ({ page, path })),
)

test('every path that a guide names exists', () => {
  expect(named.length).toBeGreaterThan(200)
  expect(named.filter(({ path }) => !existsSync(path) && !FUTURE.has(path))).toEqual([])
})

/** What the guide of a webhook event makes. */
const FUTURE = new Set([
  'libs/contracts/src/messages/asset-seen.ts',
  'services/tracking/src/ingest/rows/asset-seen.ts',
])

test('CONTRIBUTING.md is one page, and its index names each guide', () => {
  expect(Buffer.byteLength(readFileSync('CONTRIBUTING.md'))).toBeLessThanOrEqual(8 * 1024)
  const index = readFileSync('docs/contributing/README.md', 'utf8')
  const others = guides.map((file) => basename(file)).filter((name) => name !== 'README.md')
  expect(others.length).toBeGreaterThan(15)
  expect(others.filter((name) => !index.includes(`](${name})`))).toEqual([])
})
