import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Place = { path: string; pattern: RegExp; toDo: string }

const GENERATED = 'run `pnpm generate`'
/** The files that repeat the version, because they are read without package.json. */
const PLACES: readonly Place[] = [
  { path: 'libs/client/src/version.ts', pattern: /VERSION = '(.*)'/, toDo: 'change it there' },
  { path: 'libs/client-python/pyproject.toml', pattern: /^version = "(.*)"$/m, toDo: 'change it there' },
  { path: 'deploy/Dockerfile', pattern: /^ARG APP_VERSION=(.*)$/m, toDo: 'change it there' },
  { path: 'libs/contracts/openapi/openapi.json', pattern: /"version": "(.*)"/, toDo: GENERATED },
  { path: 'libs/contracts/openapi/openapi.legacy.json', pattern: /"version": "(.*)"/, toDo: GENERATED },
]

/** The version in the root package.json, which all others must equal. */
export const versionOf = (root: string): string =>
  String((JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version?: string }).version)

/** One line per file with another version, with what to do. */
export function versionProblems(root: string): string[] {
  const version = versionOf(root)
  return PLACES.flatMap(({ path, pattern, toDo }) => {
    const found = pattern.exec(readFileSync(join(root, path), 'utf8'))?.[1] ?? 'none'
    return found === version ? [] : [`${path} has version ${found}, package.json has ${version}: ${toDo}`]
  })
}
