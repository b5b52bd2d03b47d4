import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { versionOf, versionProblems } from './versions.ts'

/** Runs git in a checkout, and returns what it prints. */
export const git = (root: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trimEnd()

const tagOf = (version: string) => `v${version}`

/** One text for each reason not to release this checkout, with what to do. */
export function releaseProblems(root: string): string[] {
  const version = versionOf(root)
  const changes = git(root, 'status', '--porcelain')
  const problems = versionProblems(root)
  if (changes !== '') problems.push(`the tree has changes: commit or remove them\n${changes}`)
  if (!hasSection(root, version))
    problems.push(`docs/changelog.md has no "## [${version}] - " with a date or Unreleased: add the section`)
  if (git(root, 'tag', '--list', tagOf(version)) !== '')
    problems.push(`the tag ${tagOf(version)} exists: raise the version`)
  return problems
}

function hasSection(root: string, version: string): boolean {
  const headings = readFileSync(join(root, 'docs/changelog.md'), 'utf8').matchAll(
    /^## \[(.+)\] - (?:\d{4}-\d{2}-\d{2}|Unreleased)$/gm,
  )
  return headings.some(([, name]) => name === version)
}

/** Tags the commit that is checked out, with a note, and returns the tag. Pushes nothing. */
export function addTag(root: string, note: string): string {
  const version = versionOf(root)
  git(root, 'tag', '--annotate', tagOf(version), '--message', `Whereabouts ${version}\n\n${note}`)
  return tagOf(version)
}
