import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Place = { path: string; pattern: RegExp; toDo?: string }

const GENERATED = 'run `pnpm generate`'
/** The files that repeat the version, because they are read without package.json. */
export const PLACES: readonly Place[] = [
  { path: 'libs/client/src/version.ts', pattern: /VERSION = '(.*)'/g },
  { path: 'libs/client-python/pyproject.toml', pattern: /^version = "(.*)"$/gm },
  { path: 'deploy/Dockerfile', pattern: /^ARG APP_VERSION=(.*)$/gm },
  { path: 'libs/client/package/README.md', pattern: /client-(.*?)\.tgz/g },
  { path: 'libs/client-python/README.md', pattern: /whereabouts-(.*?)-py3/g },
  { path: 'docs/kubernetes.md', pattern: /REGISTRY\/whereabouts:([\w.-]*)/g },
  { path: 'libs/contracts/openapi/openapi.json', pattern: /^ {4}"version": "(.*)"/gm, toDo: GENERATED },
  {
    path: 'libs/contracts/openapi/openapi.legacy.json',
    pattern: /^ {4}"version": "(.*)"/gm,
    toDo: GENERATED,
  },
]

/** The version in the root package.json, which all others must equal. */
export const versionOf = (root: string): string =>
  String((JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version?: string }).version)

/** One line per file with another version, with what to do. */
export function versionProblems(root: string): string[] {
  const version = versionOf(root)
  return PLACES.flatMap(({ path, pattern, toDo = 'change it there' }) => {
    const found = [...readFileSync(join(root, path), 'utf8').matchAll(pattern)].map(([, match]) => match)
    const others = new Set(found.length > 0 ? found : ['none']).difference(new Set([version]))
    return [...others].map((other) => `${path} has version ${other}, package.json has ${version}: ${toDo}`)
  })
}
