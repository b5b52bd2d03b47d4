import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { privateApt, unpack } from './debian-apt.ts'

const PACKAGE = 'chromium-headless-shell'
const ON_PATH = [PACKAGE, 'chromium', 'chromium-browser', 'google-chrome']

const ADVICE = 'Install Chromium or Chrome so that it is on PATH, or name it in WB_TEST_CHROMIUM.'

type Options = {
  /** Folder kept between runs; a browser goes to `<version>/` below it. */
  cacheDir: string
  onNote?: (note: string) => void
}

/**
 * The path of a Chromium for browser tests: the one of WB_TEST_CHROMIUM, on PATH, in the cache, or Debian's package,
 * freshly fetched and not installed (100 MB). Throws an error that says what to do where none can be had.
 */
export async function findChromium({ cacheDir, onNote = () => {} }: Options): Promise<string> {
  const present = given() ?? onPath() ?? inCache(cacheDir)
  if (present !== undefined) return present
  onNote('fetching Chromium: the Debian package (about 100 MB, once)')
  try {
    return await fetchDebianPackage(cacheDir)
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim() : String(error)
    throw new Error(
      `found no Chromium for the browser tests, and Debian's package could not be fetched: ${reason}\n${ADVICE}`,
      { cause: error },
    )
  }
}

/** The version that a browser reports, or undefined when it cannot be run. */
function versionOf(binary: string): string | undefined {
  const { stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8', timeout: 20_000 })
  return /(\d+(?:\.\d+){3})/.exec(stdout ?? '')?.[1]
}

const runs = (binary: string) => existsSync(binary) && versionOf(binary) !== undefined

function given(): string | undefined {
  const path = process.env['WB_TEST_CHROMIUM']
  if (!path) return undefined
  if (!runs(path)) throw new Error(`WB_TEST_CHROMIUM names ${path}, which does not run`)
  return path
}

function onPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return ON_PATH.flatMap((name) => folders.map((folder) => join(folder, name))).find(runs)
}

/** It may have been fetched when the machine had libraries that are gone now; then another is fetched. */
function inCache(cacheDir: string): string | undefined {
  const versions = existsSync(cacheDir) ? readdirSync(cacheDir) : []
  return versions.map((version) => join(cacheDir, version, PACKAGE)).find(runs)
}

async function fetchDebianPackage(cacheDir: string): Promise<string> {
  const scratch = mkdtempSync(join(tmpdir(), 'chromium-'))
  // In the cache from the beginning: a rename does not reach across file systems.
  mkdirSync(cacheDir, { recursive: true })
  const unpacked = mkdtempSync(join(cacheDir, 'unpacking-'))
  try {
    await download(scratch, unpacked)
    const version = versionOf(writeLauncher(unpacked))
    if (version === undefined) throw new Error('it does not run')
    return keep(unpacked, join(cacheDir, version))
  } finally {
    for (const folder of [scratch, unpacked]) rmSync(folder, { recursive: true, force: true })
  }
}

/** The package of this machine's own release, and of its libraries those that the machine has not. */
async function download(scratch: string, target: string): Promise<void> {
  const apt = privateApt(scratch)
  await apt(['update'])
  await apt(['install', '--yes', '--download-only', '--no-install-recommends', PACKAGE])
  const archives = join(scratch, 'cache/archives')
  for (const name of readdirSync(archives).filter((file) => file.endsWith('.deb')))
    await unpack(join(archives, name), join(target, 'root'))
  rmSync(join(target, 'root/usr/share'), { recursive: true, force: true }) // documentation
}

/** A program that finds its libraries where they were unpacked, wherever the folder is moved. */
function writeLauncher(folder: string): string {
  const libraries = libraryFolders(join(folder, 'root/usr/lib')).map((name) => `$lib/${name}`)
  const file = join(folder, PACKAGE)
  const lines = [
    '#!/bin/sh',
    'lib=$(dirname "$(readlink -f "$0")")/root/usr/lib',
    `LD_LIBRARY_PATH="${libraries.join(':')}" exec "$lib/chromium/${PACKAGE}" "$@"`,
  ]
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o755 })
  return file
}

/** Of the architecture, and one that hides its libraries in a folder of its own. */
function libraryFolders(lib: string): string[] {
  const triplets = readdirSync(lib).filter((name) => /-linux-gnu/.test(name))
  return triplets.flatMap((name) => [name, `${name}/pulseaudio`])
}

/** Another run may have been faster; its copy is as good. */
function keep(unpacked: string, folder: string): string {
  if (runs(join(folder, PACKAGE))) return join(folder, PACKAGE)
  rmSync(folder, { recursive: true, force: true })
  renameSync(unpacked, folder)
  return join(folder, PACKAGE)
}
