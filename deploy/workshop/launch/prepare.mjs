// Plain JavaScript without dependencies, see progress.mjs.
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildConsole } from './console-build.mjs'
import { withLock } from './prepare-lock.mjs'
import { say, step } from './progress.mjs'
import { runProgram } from './run-program.mjs'
import { findTools } from './tools.mjs'

export const root = join(dirname(fileURLToPath(import.meta.url)), '../../..')

/**
 * Provides Node 24, the packages and the built web app. Fetches only what is missing.
 * @returns {Promise<{ node: string, env: NodeJS.ProcessEnv }>} the Node to run TypeScript with
 */
export async function prepare() {
  say('Preparing')
  return withLock(join(root, '.cache/prepare.lock'), async () => {
    const { node, pnpm } = await findTools(root)
    const env = {
      ...process.env,
      PATH: [linkTools(node, pnpm), process.env.PATH].join(delimiter),
      // Compiled modules and stripped types are kept between runs: a service starts in about half the time.
      NODE_COMPILE_CACHE: join(root, '.cache/node-compile'),
    }
    await installPackages(node, pnpm, env)
    await buildConsole(root, node, env)
    return { node, env }
  })
}

/**
 * A folder for the PATH with the Node and the pnpm of this project.
 * @param {string} node @param {string} pnpm @returns {string}
 */
function linkTools(node, pnpm) {
  const folder = join(root, '.cache/tools/bin')
  mkdirSync(folder, { recursive: true })
  rmSync(join(folder, 'node'), { force: true })
  symlinkSync(node, join(folder, 'node'))
  writeFileSync(join(folder, 'pnpm'), `#!/bin/sh\nexec '${node}' '${pnpm}' "$@"\n`)
  chmodSync(join(folder, 'pnpm'), 0o755)
  return folder
}

/** @param {string} node @param {string} pnpm @param {NodeJS.ProcessEnv} env */
async function installPackages(node, pnpm, env) {
  const stampFile = join(root, 'node_modules/.prepared')
  const wanted = packagesStamp()
  const isInstalled = existsSync(join(root, 'node_modules/.modules.yaml')) && read(stampFile) === wanted
  if (!isInstalled) {
    const args = [pnpm, 'install', '--frozen-lockfile']
    // Replaces a node_modules of another pnpm or system without a prompt, which nobody would see.
    const pnpmEnv = { ...env, PNPM_CONFIG_CONFIRM_MODULES_PURGE: 'false' }
    await step('Installing packages', () =>
      runProgram('pnpm install', node, args, { cwd: root, env: pnpmEnv }),
    )
    writeFileSync(stampFile, wanted)
  }
  say('  ✓ Packages')
}

/** Changes when the packages must be installed again. */
function packagesStamp() {
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml'].map((name) => read(join(root, name)))
  const platform = `${process.platform}-${process.arch}`
  return createHash('sha256')
    .update([platform, ...files].join('\0'))
    .digest('hex')
}

/** @param {string} file */
function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
