// The command `pnpm pack:client`: builds the package of the client that integrators install, one file.
import { packCommand } from './pack-command.ts'
import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { VERSION } from '@whereabouts/client/version'
import { noticeOf } from '../release/notice.ts'
import { publicTypes } from './generated-files.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const CLIENT = join(ROOT, 'libs/client')
/** What the package contains. The rest of the folder is for the console and for tests. */
const LIBRARY = [
  'index',
  'client',
  'errors',
  'access-tokens',
  'gate',
  'retry',
  'events',
  'follow',
  'movements',
  'sync',
  'upsert',
  'webhooks',
  'whereabouts',
]
const COMMAND = ['version', 'cli']
/** What they need comes with the package, so that it installs without a registry. */
const BUNDLED = { 'openapi-fetch': 'dist', commander: 'lib', 'csv-parse': 'lib' } as const
const FORMATS = { esm: 'module', cjs: 'commonjs' } as const
const run = promisify(execFile)

/** Resolves with the path of the packed file in `folder`. */
export async function packClient(folder: string): Promise<string> {
  const work = join(folder, 'client')
  await rm(work, { recursive: true, force: true })
  const types = await publicTypes()
  for (const format of ['esm', 'cjs'] as const) await compile(join(work, format), format, types)
  const built = join(work, 'package')
  for (const format of ['esm', 'cjs'] as const)
    await cp(join(work, format, 'dist'), join(built, format), { recursive: true })
  await writeFile(join(built, 'cjs/package.json'), '{ "type": "commonjs" }\n')
  await cp(join(CLIENT, 'package/README.md'), join(built, 'README.md'))
  await writeFile(join(built, 'NOTICE'), noticeOf(['libs/client']))
  await bundle(join(built, 'node_modules'))
  await writeFile(join(built, 'package.json'), `${JSON.stringify(await manifest(), null, 2)}\n`)
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: built })
  await rm(work, { recursive: true })
  return join(folder, stdout.trim())
}

async function compile(folder: string, format: keyof typeof FORMATS, types: string): Promise<void> {
  await mkdir(join(folder, 'src'), { recursive: true })
  await writeFile(join(folder, 'src/api.ts'), types)
  for (const path of await sourcesOf(format === 'esm' ? [...LIBRARY, ...COMMAND] : LIBRARY)) {
    const text = await readFile(join(CLIENT, 'src', path), 'utf8')
    await mkdir(dirname(join(folder, 'src', path)), { recursive: true })
    await writeFile(join(folder, 'src', path), text.replaceAll(`/api.d.ts'`, `/api.ts'`))
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: FORMATS[format] }))
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: OPTIONS, include: ['src'] }),
  )
  // From here, because the folder may be outside of the workspace.
  await cp(join(CLIENT, 'node_modules'), join(folder, 'node_modules'), { recursive: true, dereference: true })
  const tsc = join(
    dirname(createRequire(join(ROOT, 'package.json')).resolve('typescript/package.json')),
    'bin/tsc',
  )
  await run(process.execPath, [tsc, '-p', folder])
}

/** The files of names, which are of files or folders. */
async function sourcesOf(names: readonly string[]): Promise<string[]> {
  const all = await readdir(join(CLIENT, 'src'), { recursive: true })
  return all.filter(
    (path) =>
      path.endsWith('.ts') &&
      !/\.(?:test|fixture)\.ts$/.test(path) &&
      names.includes(path.split(/[./]/)[0] ?? ''),
  )
}

const OPTIONS = {
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  rewriteRelativeImportExtensions: true,
  declaration: true,
  skipLibCheck: true,
  types: ['node'],
  typeRoots: [join(ROOT, 'node_modules/@types')],
  rootDir: 'src',
  outDir: 'dist',
}

async function manifest(): Promise<object> {
  const of = (format: string) => ({ types: `./${format}/index.d.ts`, default: `./${format}/index.js` })
  const versions = Object.keys(BUNDLED).map(async (name) => {
    const { version } = JSON.parse(await readFile(join(CLIENT, 'node_modules', name, 'package.json'), 'utf8'))
    return [name, version as string] as const
  })
  return {
    name: '@whereabouts/client',
    version: VERSION,
    description: 'Client of the Whereabouts API: assets, locations, tags, where they are and were',
    type: 'module',
    exports: { '.': { import: of('esm'), require: of('cjs') } },
    types: './esm/index.d.ts',
    main: './cjs/index.js',
    bin: { whereabouts: './esm/cli/main.js' },
    sideEffects: false,
    engines: { node: '>=20.3' },
    dependencies: Object.fromEntries(await Promise.all(versions)),
    bundleDependencies: Object.keys(BUNDLED),
  }
}

async function bundle(folder: string): Promise<void> {
  for (const [name, code] of Object.entries(BUNDLED)) {
    const module = await realpath(join(CLIENT, 'node_modules', name))
    const needed = new Set(['package.json', 'LICENSE', 'index.js', code])
    for (const part of await readdir(module))
      if (needed.has(part)) await cp(join(module, part), join(folder, name, part), { recursive: true })
  }
  // Only types, which those of openapi-fetch import.
  const helpers = join(
    await realpath(join(CLIENT, 'node_modules/openapi-fetch')),
    '../openapi-typescript-helpers',
  )
  for (const part of ['package.json', 'LICENSE', 'dist'])
    await cp(join(helpers, part), join(folder, 'openapi-typescript-helpers', part), { recursive: true })
}

if (process.argv[1] === import.meta.filename)
  await packCommand('pack:client', 'the client for JavaScript', packClient)
