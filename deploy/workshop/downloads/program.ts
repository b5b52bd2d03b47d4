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
import { isAtLeast, isSameLine } from '@whereabouts/messaging/connect/broker-version'

/** Fetches a program into `scratch`, an empty folder, and returns its path there. */
type Source = { name: string; fetch: (scratch: string) => Promise<string> }

/** A program of a single file that can be copied. */
export type Program = {
  name: string
  /** Arguments that print the version, and where it is in the output. */
  version: { args: string[]; pattern: RegExp }
  oldest: string
  /** Accept only patches of the same minor version (2.15.1, 2.15.4), because others behave differently. */
  sameLine?: boolean
  sources: Source[]
  /** What the user can do when no source works. */
  advice: string
}

type Options = {
  /** Folder kept between runs; programs go to `<version>/<name>` below it. */
  cacheDir: string
  onNote?: (note: string) => void
}

/**
 * The path of an accepted release: from PATH, the cache, or the first source that works. A note names a rejected one on
 * PATH. Throws an error that lists what was tried.
 */
export async function findProgram(
  program: Program,
  { cacheDir, onNote = () => {} }: Options,
): Promise<string> {
  const { usable, refused } = onPath(program)
  if (usable) return usable
  const found = inCache(program, cacheDir) ?? (await fetchAny(program, { cacheDir, onNote }))
  if (refused) onNote(`${program.name} ${refused}, so using ${found}`)
  return found
}

async function fetchAny(program: Program, { cacheDir, onNote = () => {} }: Options): Promise<string> {
  const tried: string[] = []
  for (const source of program.sources) {
    onNote(`fetching ${program.name}: ${source.name}`)
    const fetched = await fetchFrom(program, source, cacheDir)
    if (typeof fetched === 'string') return fetched
    tried.push(`- ${source.name}: ${fetched.message.trim()}`)
  }
  const wanted = `${program.name} ${program.oldest} or newer${program.sameLine ? ' of the same minor version' : ''}`
  throw new Error(`found no ${wanted}\n${tried.join('\n')}\n${program.advice}`)
}

/** Why this version is rejected; undefined when it is accepted. */
function objection({ oldest, sameLine = false }: Program, version: string): string | undefined {
  if (!isAtLeast(version, oldest)) return `is older than ${oldest}`
  if (sameLine && !isSameLine(version, oldest)) return `is not a patch of ${oldest}`
  return undefined
}

/** The version that a program reports, or undefined when it cannot be run. */
function versionOf({ version }: Program, binary: string): string | undefined {
  const { stdout } = spawnSync(binary, version.args, { encoding: 'utf8', timeout: 10_000 })
  return version.pattern.exec(stdout ?? '')?.[1]
}

/** Ignores programs that cannot be run. */
function onPath(program: Program): { usable?: string; refused?: string } {
  let refused: string | undefined
  for (const folder of (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, program.name)
    const version = isExecutable(path) ? versionOf(program, path) : undefined
    if (version === undefined) continue
    const reason = objection(program, version)
    if (reason === undefined) return { usable: path }
    refused ??= `${version} on PATH ${reason}`
  }
  return refused === undefined ? {} : { refused }
}

function inCache(program: Program, cacheDir: string): string | undefined {
  const versions = isExecutable(cacheDir) ? readdirSync(cacheDir) : []
  return versions
    .map((version) => join(cacheDir, version, program.name))
    .filter(isExecutable)
    .find((path) => {
      const version = versionOf(program, path)
      return version !== undefined && objection(program, version) === undefined
    })
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false // missing, or without permission
  }
}

/** The path in the cache, or the reason why this source failed. */
async function fetchFrom(program: Program, source: Source, cacheDir: string): Promise<string | Error> {
  const scratch = mkdtempSync(join(tmpdir(), `${program.name}-`))
  try {
    const binary = await source.fetch(scratch)
    const version = versionOf(program, binary)
    if (version === undefined) return new Error('the program does not run')
    const reason = objection(program, version)
    if (reason !== undefined) return new Error(`${version} ${reason}`)
    return keep(program, binary, join(cacheDir, version))
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Copies under another name first, so that a parallel run never starts a partial file. */
function keep({ name }: Program, binary: string, folder: string): string {
  mkdirSync(folder, { recursive: true })
  const partial = join(folder, `${name}.${process.pid}`)
  copyFileSync(binary, partial)
  chmodSync(partial, 0o755)
  renameSync(partial, join(folder, name))
  return join(folder, name)
}
