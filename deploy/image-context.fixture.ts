import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, normalize, relative, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Whether deploy/Dockerfile.dockerignore leaves a path out of the build: the last matching pattern decides. */
export function dockerIgnore(): (path: string) => boolean {
  const patterns = read('deploy/Dockerfile.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ glob: line.replace(/^!/, ''), isIgnored: !line.startsWith('!') }))
  return (path) => {
    const parts = path.split('/')
    const parents = parts.map((_, i) => parts.slice(0, i + 1).join('/'))
    const last = patterns.findLast(({ glob }) => parents.some((each) => matchesGlob(each, glob)))
    return last?.isIgnored ?? false
  }
}

/** Every file that these files import, themselves included: paths below the root of the checkout. */
export function reachableFrom(entries: readonly string[]): Set<string> {
  const reached = new Set<string>()
  const queue = [...entries]
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    if (/\.[mt]s$/.test(file)) queue.push(...importsOf(file))
  }
  return reached
}

const IMPORT = /(?:\bfrom|\bimport\(?)\s*'([^']+)'|join\(import\.meta\.dirname, '([^']+)'\)/g

function importsOf(file: string): string[] {
  return [...read(file).matchAll(IMPORT)].flatMap(([, imported, data]) => {
    const path = data === undefined ? targetOf(imported!, file) : normalize(join(dirname(file), data))
    return path !== undefined && existsSync(join(ROOT, path)) ? [path] : []
  })
}

/** Undefined for packages from the registry. */
function targetOf(specifier: string, from: string): string | undefined {
  if (specifier.startsWith('.')) return relative(ROOT, resolve(ROOT, dirname(from), specifier))
  const [, name, rest] = /^@whereabouts\/([\w-]+)\/(.+)$/.exec(specifier) ?? []
  return name && (name === 'deploy' ? `deploy/${rest}.ts` : `libs/${name}/src/${rest}.ts`)
}
