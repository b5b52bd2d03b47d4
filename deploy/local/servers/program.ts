import { spawnSync } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** A way to come by a program: fetches it below `scratch`, an empty folder, and returns its path there. */
type Source = { name: string; fetch: (scratch: string) => Promise<string> }

/** A single file that runs by itself, wherever it is copied to. */
export type Program = {
  name: string
  /** Asks the program for its version, and what of the answer is it. */
  version: { args: string[]; pattern: RegExp }
  oldest: readonly number[]
  sources: Source[]
  /** What to do where no source works. */
  advice: string
}

type Options = {
  /** Folder kept between runs; programs go to `<version>/<name>` below it. */
  cacheDir: string
  onNote?: (note: string) => void
}

/**
 * The path of a program that is new enough: the one on PATH, one in the cache, or a freshly fetched one from the first
 * source that works. Throws an error that says what was tried.
 */
export async function findProgram(
  program: Program,
  { cacheDir, onNote = () => {} }: Options,
): Promise<string> {
  const present = onPath(program) ?? inCache(program, cacheDir)
  if (present) return present
  const tried: string[] = []
  for (const source of program.sources) {
    onNote(`fetching ${program.name}: ${source.name}`)
    const fetched = await fetchFrom(program, source, cacheDir)
    if (typeof fetched === 'string') return fetched
    tried.push(`- ${source.name}: ${fetched.message.trim()}`)
  }
  const wanted = `${program.name} ${program.oldest.join('.')} or newer`
  throw new Error(`found no ${wanted}\n${tried.join('\n')}\n${program.advice}`)
}

/** Whether a version like "2.10.27" is `oldest` or newer. */
export function isNewEnough(version: string, oldest: readonly number[]): boolean {
  const parts = version.split('.').map(Number)
  const differing = oldest.findIndex((part, at) => parts[at] !== part)
  return differing === -1 || (parts[differing] ?? 0) > oldest[differing]!
}

/** The version that a program reports, or undefined when it cannot be run. */
function versionOf({ version }: Program, binary: string): string | undefined {
  const { stdout } = spawnSync(binary, version.args, { encoding: 'utf8', timeout: 10_000 })
  return version.pattern.exec(stdout ?? '')?.[1]
}

function isUsable(program: Program, binary: string): boolean {
  const version = isExecutable(binary) ? versionOf(program, binary) : undefined
  return version !== undefined && isNewEnough(version, program.oldest)
}

function onPath(program: Program): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return folders.map((folder) => join(folder, program.name)).find((path) => isUsable(program, path))
}

function inCache(program: Program, cacheDir: string): string | undefined {
  const versions = isExecutable(cacheDir) ? readdirSync(cacheDir) : []
  return versions
    .map((version) => join(cacheDir, version, program.name))
    .find((path) => isUsable(program, path))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false // missing, or not ours to run
  }
}

/** The path in the cache, or the reason why this source did not work. */
async function fetchFrom(program: Program, source: Source, cacheDir: string): Promise<string | Error> {
  const scratch = mkdtempSync(join(tmpdir(), `${program.name}-`))
  try {
    const binary = await source.fetch(scratch)
    const version = versionOf(program, binary)
    if (version === undefined) return new Error('the program does not run')
    if (!isNewEnough(version, program.oldest)) return new Error(`${version} is too old`)
    return keep(program, binary, join(cacheDir, version))
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Copied under another name first: a run beside this one must not start half a file. */
function keep({ name }: Program, binary: string, folder: string): string {
  mkdirSync(folder, { recursive: true })
  const partial = join(folder, `${name}.${process.pid}`)
  copyFileSync(binary, partial)
  chmodSync(partial, 0o755)
  renameSync(partial, join(folder, name))
  return join(folder, name)
}
