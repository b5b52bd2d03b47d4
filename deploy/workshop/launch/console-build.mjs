// Plain JavaScript without dependencies, see progress.mjs.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { step } from './progress.mjs'
import { runProgram } from './run-program.mjs'

/**
 * What the console serves: where it is built, its sources, the program, and its arguments.
 * @typedef {{ name: string, folder: string, sources: string[], program: string, args: string[], index: string }} Build
 * @type {readonly Build[]}
 */
const BUILDS = [
  {
    name: 'console',
    folder: 'services/console',
    sources: ['services/console/web', 'services/console/src/screens.ts', 'libs/client/src', 'pnpm-lock.yaml'],
    program: 'node_modules/vite/bin/vite.js',
    args: ['build', '--config', 'web/vite.config.ts'],
    index: 'services/console/dist/index.html',
  },
  {
    name: 'documentation',
    folder: 'docs',
    sources: ['docs', 'services/console/web/public', 'pnpm-lock.yaml'],
    program: 'node_modules/vitepress/bin/vitepress.js',
    args: ['build'],
    index: 'services/console/dist-docs/index.html',
  },
  {
    name: 'packages of the clients',
    folder: 'deploy/workshop/clients',
    sources: [
      'deploy/workshop/clients',
      'libs/client/src',
      'libs/client/package',
      'libs/client-python/src',
      'libs/client-python/README.md',
      'libs/client-python/pyproject.toml',
      'libs/contracts/src',
      'docs/changelog.md',
      'package.json',
      'pnpm-lock.yaml',
    ],
    program: 'downloads.ts',
    args: [],
    index: 'services/console/dist-downloads/SHA256SUMS',
  },
]

/**
 * Builds the web app, the documentation and the packages at the same time, each unless it was built from the current sources.
 * @param {string} root of the checkout
 * @param {string} node
 * @param {NodeJS.ProcessEnv} env
 */
export async function buildConsole(root, node, env) {
  await Promise.all(BUILDS.map((each) => build(each, { root, node, env })))
}

/** @param {Build} build @param {{ root: string, node: string, env: NodeJS.ProcessEnv }} options */
async function build({ name, folder, sources, program, args, index }, { root, node, env }) {
  const stampFile = join(root, `.cache/${name}-build`)
  const wanted = stampOf(root, sources)
  const built = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : ''
  if (built === wanted && existsSync(join(root, index))) return
  const cwd = join(root, folder)
  await step(`Building the ${name}`, () =>
    runProgram(`build of the ${name}`, node, [join(cwd, program), ...args], { cwd, env }),
  )
  writeFileSync(stampFile, wanted)
}

/** @param {string} root @param {readonly string[]} sources */
function stampOf(root, sources) {
  const hash = createHash('sha256')
  for (const source of sources)
    for (const file of filesOf(join(root, source))) hash.update(file).update(readFileSync(file))
  return hash.digest('hex')
}

/** In these folders, packages and builds write their own files. */
const GENERATED = /[\\/](?:node_modules|__pycache__|\.vitepress[\\/](?:\.temp|cache))[\\/]/

/** @param {string} path @returns {string[]} */
function filesOf(path) {
  if (!statSync(path).isDirectory()) return [path]
  const entries = readdirSync(path, { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !GENERATED.test(file))
    .toSorted()
}
