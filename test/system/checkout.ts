import { execFile, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { ROOT } from '@whereabouts/deploy/installation/services'

/** Another version of the product with its packages installed. */
export type Checkout = {
  /** For tables: the short commit, or the name of a folder outside git. */
  name: string
  folder: string
}

/** Identifies a folder of the product. */
const MARK = 'deploy/workshop/stack/stack.ts'

/** Where a version has this file of the workshop. Older versions have all of them in one folder. */
export function workshopFile(folder: string, file: string): string {
  const path = join(folder, file)
  return existsSync(path) ? path : join(folder, 'deploy/local', basename(file))
}

/** Programs to copy instead of fetching them again: the package manager, but not Node. */
const PACKAGE_MANAGER = ['pnpm', '@pnpm'].map((name) => join('.cache/tools/node_modules', name))

/**
 * Another version. `wanted` is a commit, which is checked out below `.cache/bench` and kept there for later runs, or the
 * folder of an installed checkout. Throws an error that says what to do.
 */
export async function checkoutOf(wanted: string, say: (text: string) => void): Promise<Checkout> {
  const folder = resolve(wanted)
  if (!existsSync(workshopFile(folder, MARK))) return ofCommit(wanted, say)
  if (!existsSync(join(folder, 'node_modules')))
    throw new Error(`${folder} has no node_modules: run pnpm install there first`)
  const isOwn = existsSync(join(folder, '.git'))
  return { name: isOwn ? git(['rev-parse', '--short=7', 'HEAD'], folder).text : basename(folder), folder }
}

async function ofCommit(wanted: string, say: (text: string) => void): Promise<Checkout> {
  const commit = commitOf(wanted)
  const checkout = { name: commit.slice(0, 7), folder: join(ROOT, '.cache/bench', commit.slice(0, 12)) }
  const { name, folder } = checkout
  const installed = join(folder, '.cache/installed')
  if (existsSync(installed)) return checkout
  if (!isCheckedOut(folder, commit)) {
    say(`Checking out ${name} into ${folder} …\n`)
    checkOut(folder, commit)
  }
  say(`Installing the packages of ${name} …\n`)
  await installPackages(checkout)
  writeFileSync(installed, '')
  return checkout
}

function commitOf(wanted: string): string {
  if (!git(['rev-parse', '--git-dir']).ok)
    throw new Error(
      'A commit needs a git checkout of the product. Run it in one, or name the folder of another installed checkout.',
    )
  const { ok, text } = git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${wanted}^{commit}`])
  if (ok) return text
  throw new Error(
    `"${wanted}" is neither a commit of this repository nor the folder of a checkout. A shallow clone gets older commits by git fetch --unshallow.`,
  )
}

/** Whether an earlier run has completed this step. */
const isCheckedOut = (folder: string, commit: string) =>
  existsSync(join(folder, '.git')) &&
  git(['rev-parse', 'HEAD'], folder).text === commit &&
  git(['status', '--porcelain', '--untracked-files=no'], folder).text === ''

function checkOut(folder: string, commit: string): void {
  rmSync(folder, { recursive: true, force: true })
  git(['worktree', 'prune']) // drops worktrees whose folder was removed
  const { ok, text } = git(['worktree', 'add', '--detach', folder, commit])
  if (!ok) throw new Error(`git worktree add failed:\n${text}`)
}

/** Uses the package manager that this version names. */
async function installPackages({ name, folder }: Checkout): Promise<void> {
  for (const part of PACKAGE_MANAGER)
    if (existsSync(join(ROOT, part))) cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  mkdirSync(join(folder, '.cache'), { recursive: true })
  const tools = (await import(
    pathToFileURL(workshopFile(folder, 'deploy/workshop/launch/tools.mjs')).href
  )) as {
    findTools(root: string): Promise<{ node: string; pnpm: string }>
  }
  const { node, pnpm } = await tools.findTools(folder)
  const args = [pnpm, 'install', '--frozen-lockfile', '--prefer-offline']
  try {
    await promisify(execFile)(node, args, { cwd: folder, maxBuffer: 100 * 2 ** 20 })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    const lines = `${stdout}${stderr}`.trimEnd().split('\n').slice(-12).join('\n')
    throw new Error(`the packages of ${name} could not be installed in ${folder}:\n${lines}`, {
      cause: error,
    })
  }
}

/** `text` is the output of git, or its error. */
function git(args: string[], cwd = ROOT): { ok: boolean; text: string } {
  const { error, status, stdout, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8' })
  if (error)
    throw new Error(
      `git does not run (${error.message}). Install it, or name the folder of an installed checkout.`,
    )
  return { ok: status === 0, text: (status === 0 ? stdout : stderr).trim() }
}
