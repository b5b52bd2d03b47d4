import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { addTag, git, releaseProblems } from './checks.ts'
import { PLACES, versionOf } from './versions.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const VERSION = versionOf(ROOT)
let root: string

const change = (path: string, from: string, to: string) =>
  writeFileSync(join(root, path), readFileSync(join(root, path), 'utf8').replaceAll(from, to))

function commit(): void {
  git(root, 'add', '--all')
  git(root, 'commit', '--quiet', '--message', 'A change')
}

/** A repository with the files that the checks read, as they are here. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'release-'))
  for (const path of ['package.json', 'docs/changelog.md', ...PLACES.map((place) => place.path)])
    cpSync(join(ROOT, path), join(root, path))
  git(root, 'init', '--quiet')
  const settings = { 'user.name': 'Ada', 'user.email': 'ada@acme.example', 'core.hooksPath': '/dev/null' }
  const unsigned = { 'commit.gpgSign': 'false', 'tag.gpgSign': 'false' }
  for (const [name, value] of Object.entries({ ...settings, ...unsigned })) git(root, 'config', name, value)
  commit()
})
afterEach(() => rmSync(root, { recursive: true }))

test('this version is ready, and its tag names the commit; a second release needs another version', () => {
  expect(releaseProblems(root)).toEqual([])
  expect(addTag(root, 'Not audited: no network')).toBe(`v${VERSION}`)
  expect(git(root, 'tag', '--list', '--format=%(contents)')).toContain('Not audited: no network')
  expect(git(root, 'rev-parse', `v${VERSION}^{commit}`)).toBe(git(root, 'rev-parse', 'HEAD'))
  expect(releaseProblems(root)).toEqual([`the tag v${VERSION} exists: raise the version`])
})

test('changed and new files are named', () => {
  change('docs/changelog.md', 'Keep', 'Kept')
  writeFileSync(join(root, 'new.ts'), '')
  expect(releaseProblems(root)).toEqual([
    'the tree has changes: commit or remove them\n M docs/changelog.md\n?? new.ts',
  ])
})

test('another version in package.json is a problem of each file that repeats it, and of the changelog', () => {
  change('package.json', `"version": "${VERSION}"`, '"version": "9.8.7"')
  commit()
  const problems = releaseProblems(root)
  for (const { path, toDo = 'change it there' } of PLACES)
    expect(problems).toContain(`${path} has version ${VERSION}, package.json has 9.8.7: ${toDo}`)
  expect(problems).toHaveLength(PLACES.length + 1)
  expect(problems.at(-1)).toContain('docs/changelog.md has no "## [9.8.7] - "')
})

test('a file that has lost its version is a problem', () => {
  change('deploy/Dockerfile', `ARG APP_VERSION=${VERSION}`, 'ARG OTHER=1')
  commit()
  expect(releaseProblems(root)).toEqual([
    `deploy/Dockerfile has version none, package.json has ${VERSION}: change it there`,
  ])
})

test.for([
  { heading: `## [${VERSION}] - 2026-11-30`, isReady: true },
  { heading: `## [${VERSION}] - Unreleased`, isReady: true },
  { heading: `## [${VERSION}]`, isReady: false },
  { heading: `## [${VERSION}] - soon`, isReady: false },
  { heading: `## [${VERSION}0] - 2026-11-30`, isReady: false },
])('a changelog with "$heading" is ready: $isReady', ({ heading, isReady }) => {
  writeFileSync(join(root, 'docs/changelog.md'), `# Changelog\n\n${heading}\n`)
  commit()
  expect(releaseProblems(root)).toHaveLength(isReady ? 0 : 1)
})
