// The command `pnpm pack:client`: builds the package of the client that integrators install, one file.
import { packCommand } from './pack-command.ts'
import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { VERSION } from '@whereabouts/client/version'
import { LICENSE } from '@whereabouts/contracts/release'
import { noticeOf } from '../release/notice.ts'
import { clientChangelog } from './client-changelog.ts'
import { publicTypes } from './public-types.ts'
import { tarGz } from './tar.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const CLIENT = join(ROOT, 'libs/client')
/** What the package offers. It has what these files import; the rest of the folder is for the console and for tests. */
const ENTRIES = ['src/index.ts', 'src/testing.ts']
const COMMAND = 'src/cli/main.ts'
/** What they need comes with the package, so that it installs without a registry. */
const BUNDLED = { 'openapi-fetch': 'dist', commander: 'lib', 'csv-parse': 'lib' } as const
const FORMATS = { esm: 'module', cjs: 'commonjs' } as const
const require = createRequire(import.meta.url)
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
  await writeFile(join(built, 'CHANGELOG.md'), await clientChangelog())
  await writeFile(join(built, 'NOTICE'), noticeOf(['libs/client']))
  await bundle(join(built, 'node_modules'))
  await writeFile(join(built, 'package.json'), `${JSON.stringify(await manifest(), null, 2)}\n`)
  const path = join(folder, `whereabouts-client-${VERSION}.tgz`)
  await writeFile(path, tarGz(await filesIn(built)))
  await rm(work, { recursive: true })
  return path
}

/** As npm packs them: below `package`, and programs may be run. */
async function filesIn(folder: string): Promise<(readonly [string, Buffer, number])[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.map'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
  return Promise.all(
    paths.toSorted().map(async (path) => {
      const content = await readFile(join(folder, path))
      return [`package/${path}`, content, content.toString('latin1', 0, 2) === '#!' ? 0o755 : 0o644] as const
    }),
  )
}

async function compile(folder: string, format: keyof typeof FORMATS, types: string): Promise<void> {
  await mkdir(join(folder, 'src'), { recursive: true })
  await writeFile(join(folder, 'src/api.ts'), types)
  for (const path of await sources()) {
    const text = await readFile(join(CLIENT, 'src', path), 'utf8')
    await mkdir(dirname(join(folder, 'src', path)), { recursive: true })
    await writeFile(join(folder, 'src', path), text.replaceAll(`/api.d.ts'`, `/api.ts'`))
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: FORMATS[format] }))
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: OPTIONS, files: format === 'esm' ? [...ENTRIES, COMMAND] : ENTRIES }),
  )
  // From here, because the folder may be outside of the workspace.
  await cp(join(CLIENT, 'node_modules'), join(folder, 'node_modules'), { recursive: true, dereference: true })
  const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc6')
  await run(process.execPath, [tsc, '-p', folder])
}

async function sources(): Promise<string[]> {
  const all = await readdir(join(CLIENT, 'src'), { recursive: true })
  return all.filter((path) => path.endsWith('.ts') && !/\.(?:test|fixture|d)\.ts$/.test(path))
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
  typeRoots: [dirname(dirname(require.resolve('@types/node/package.json')))],
  rootDir: 'src',
  outDir: 'dist',
}

async function manifest(): Promise<object> {
  const entry = (name: string) => {
    const of = (format: string) => ({ types: `./${format}/${name}.d.ts`, default: `./${format}/${name}.js` })
    return { import: of('esm'), require: of('cjs') }
  }
  const versions = Object.keys(BUNDLED).map(async (name) => {
    const { version } = JSON.parse(await readFile(join(CLIENT, 'node_modules', name, 'package.json'), 'utf8'))
    return [name, version as string] as const
  })
  return {
    name: '@whereabouts/client',
    version: VERSION,
    description: 'Client of the Whereabouts API: assets, locations, tags, where they are and were',
    // Of the product, whose owner has not chosen one. NOTICE has those of what is bundled.
    license: LICENSE ?? 'UNLICENSED',
    author: 'Whereabouts',
    type: 'module',
    exports: { '.': entry('index'), './testing': entry('testing') },
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
