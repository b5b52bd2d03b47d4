// Plain JavaScript without dependencies, see progress.mjs.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { step } from './progress.mjs'
import { runProgram } from './run-program.mjs'

/** The sources of the built files. */
const SOURCES = ['services/console/web', 'libs/client/src', 'pnpm-lock.yaml']

/**
 * Builds the web app of the console unless it was built from the current sources.
 * @param {string} root of the checkout
 * @param {string} node
 * @param {NodeJS.ProcessEnv} env
 */
export async function buildConsole(root, node, env) {
  const folder = join(root, 'services/console')
  const stampFile = join(root, '.cache/console-build')
  const wanted = stampOf(root)
  const built = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : ''
  if (built === wanted && existsSync(join(folder, 'dist/index.html'))) return
  const vite = join(folder, 'node_modules/vite/bin/vite.js')
  const args = [vite, 'build', '--config', 'web/vite.config.ts']
  await step('Building the console', () => runProgram('vite build', node, args, { cwd: folder, env }))
  writeFileSync(stampFile, wanted)
}

/** @param {string} root */
function stampOf(root) {
  const hash = createHash('sha256')
  for (const source of SOURCES)
    for (const file of filesOf(join(root, source))) hash.update(file).update(readFileSync(file))
  return hash.digest('hex')
}

/** @param {string} path @returns {string[]} */
function filesOf(path) {
  if (!statSync(path).isDirectory()) return [path]
  const entries = readdirSync(path, { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}
