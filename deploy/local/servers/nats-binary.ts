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
import { extractNatsServer } from './docker.ts'
import { unpackDebianPackage } from './nats-debian.ts'
import { downloadRelease } from './nats-release.ts'

/** Features we use: the authorization callout and filtered consumers as they behave since this version. */
const OLDEST_NATS_SERVER: readonly number[] = [2, 10, 27]

type Note = (note: string) => void

type Options = {
  /** Folder kept between runs; binaries go to `<version>/nats-server` below it. */
  cacheDir: string
  onNote?: Note
}

/**
 * The path of a nats-server that is new enough: the one on PATH, one in the cache, or a freshly fetched one (Debian's
 * package, unpacked and not installed; elsewhere Docker's image or the official release). Throws an error that says what was tried.
 */
export async function findNatsServer({ cacheDir, onNote = () => {} }: Options): Promise<string> {
  const present = onPath() ?? inCache(cacheDir)
  if (present) return present
  return fetchFirst(SOURCES, [], cacheDir, onNote)
}

async function fetchFirst(
  [source, ...others]: Source[],
  tried: string[],
  cacheDir: string,
  onNote: Note,
): Promise<string> {
  if (!source) throw new Error(notFound(tried))
  onNote(`fetching nats-server: ${source.name}`)
  const fetched = await fetchFrom(source, cacheDir)
  if (typeof fetched === 'string') return fetched
  return fetchFirst(others, [...tried, `- ${source.name}: ${fetched.message.trim()}`], cacheDir, onNote)
}

function notFound(tried: string[]): string {
  const advice = 'Install nats-server yourself so that it is on PATH, or start Docker.'
  return `found no nats-server ${OLDEST_NATS_SERVER.join('.')} or newer\n${tried.join('\n')}\n${advice}`
}

/** The version that a nats-server reports, or undefined when it cannot be run. */
function natsServerVersion(binary: string): string | undefined {
  const { stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8', timeout: 10_000 })
  return /v(\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1]
}

/** Whether a version like "2.10.27" has what we need. */
export function isNewEnough(version: string): boolean {
  const parts = version.split('.').map(Number)
  const differing = OLDEST_NATS_SERVER.findIndex((part, at) => parts[at] !== part)
  return differing === -1 || (parts[differing] ?? 0) > OLDEST_NATS_SERVER[differing]!
}

type Source = { name: string; fetch: (scratch: string) => Promise<string> }

const SOURCES: Source[] = [
  { name: 'the Debian package (trixie)', fetch: (scratch) => unpackDebianPackage(scratch, 'trixie') },
  { name: 'the Debian package (sid)', fetch: (scratch) => unpackDebianPackage(scratch, 'sid') },
  { name: 'the Docker image', fetch: extractNatsServer },
  { name: 'the official release', fetch: downloadRelease },
]

function usableVersion(binary: string): string | undefined {
  const version = natsServerVersion(binary)
  return version !== undefined && isNewEnough(version) ? version : undefined
}

function onPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return folders
    .map((folder) => join(folder, 'nats-server'))
    .find((path) => isExecutable(path) && usableVersion(path))
}

function inCache(cacheDir: string): string | undefined {
  const versions = isExecutable(cacheDir) ? readdirSync(cacheDir) : []
  return versions
    .map((version) => join(cacheDir, version, 'nats-server'))
    .find((path) => isExecutable(path) && usableVersion(path))
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
async function fetchFrom(source: Source, cacheDir: string): Promise<string | Error> {
  const scratch = mkdtempSync(join(tmpdir(), 'nats-server-'))
  try {
    const binary = await source.fetch(scratch)
    const version = natsServerVersion(binary)
    if (version === undefined) return new Error('the program does not run')
    return isNewEnough(version) ? keep(binary, join(cacheDir, version)) : new Error(`${version} is too old`)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Copied under another name first: a run beside this one must not start half a file. */
function keep(binary: string, folder: string): string {
  mkdirSync(folder, { recursive: true })
  const partial = join(folder, `nats-server.${process.pid}`)
  copyFileSync(binary, partial)
  chmodSync(partial, 0o755)
  renameSync(partial, join(folder, 'nats-server'))
  return join(folder, 'nats-server')
}
