import { globSync, readFileSync, realpathSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'

type Names = Readonly<Record<string, string>>
type Manifest = { version: string; license?: string; dependencies?: Names; devDependencies?: Names }

const ROOT = join(import.meta.dirname, '../../..')
/** They build or test the web app and the documentation, and nothing of them is in what is served. */
const BUILD_ONLY = /^(?:vite|shiki|@(?:shikijs|types|vitejs)\/.*|@whereabouts\/testing)$/
/** What an image is made of. Bundles contain the development dependencies of the last two. */
export const IMAGE = ['services/*', 'deploy', 'services/console', 'docs']
/** One file without dependencies (.pnpmfile.mjs). */
const STANDALONE = '@scalar/api-reference'
const BUNDLED = new Set(['services/console', 'docs'])
const TEXTS = '{LICEN[CS]E,licen[cs]e,License,NOTICE,COPYING}*'

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

/**
 * The third-party software that ships with the packages in `folders` (patterns from the root), each with the texts that must go
 * with it. Optional dependencies are tools for one platform each, and none ships.
 */
export function noticeOf(folders: readonly string[]): string {
  const found = new Map<string, string>()
  for (const path of folders.flatMap((pattern) => globSync(pattern, { cwd: ROOT }))) {
    const folder = join(ROOT, path)
    const { dependencies = {}, devDependencies = {} } = manifestOf(folder)
    const names = Object.keys({ ...dependencies, ...(BUNDLED.has(path) && devDependencies) })
    for (const name of names) collect(found, name, folder)
  }
  const entries = [...found].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const byText = Map.groupBy(entries, ([, text]) => text)
  return (
    [
      'Whereabouts contains the third-party software below, under the licenses below.',
      ...byText
        .entries()
        .map(([text, packages]) => `${packages.map(([title]) => title).join('\n')}\n\n${text}`),
    ].join(`\n\n${'-'.repeat(80)}\n\n`) + '\n'
  )
}

function collect(found: Map<string, string>, name: string, from: string): void {
  if (BUILD_ONLY.test(name)) return
  const folder = dirname(realpathSync(findPackageJSON(name, join(from, 'package.json')) ?? name))
  const { version, license, dependencies = {} } = manifestOf(folder)
  const title = `${name} ${version} (${license})`
  if (found.has(title)) return
  if (!name.startsWith('@whereabouts/')) found.set(title, textsOf(folder))
  if (name !== STANDALONE)
    for (const dependency of Object.keys(dependencies)) collect(found, dependency, folder)
}

const textsOf = (folder: string): string =>
  globSync(TEXTS, { cwd: folder })
    .toSorted()
    .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r', '').trim())
    .join('\n\n') || 'These packages come without the text of their license.'
