import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fetchIntoCache, type FetchOptions } from './debian-fetch.ts'
import { unpackWithLibraries } from './debian-release.ts'

/** Not `chromium-headless-shell`: that one never keeps pages in the back/forward cache, as people's browsers do. */
const PACKAGE = 'chromium'
const ON_PATH = [PACKAGE, 'chromium-browser', 'google-chrome']
const CHROMIUM = {
  name: 'Chromium for the browser tests',
  size: '120 MB',
  advice: 'Install Chromium or Chrome so that it is on PATH, or name it in WB_TEST_CHROMIUM.',
}

/**
 * The path of a Chromium for browser tests: that of WB_TEST_CHROMIUM, on PATH, in the cache, or Debian's package,
 * unpacked and not installed. Rejects with an error that says what to do.
 */
export async function findChromium(options: FetchOptions): Promise<string> {
  const { cacheDir } = options
  return given() ?? onPath() ?? inCache(cacheDir) ?? fetchIntoCache(CHROMIUM, options, fetchFor(cacheDir))
}

/** Undefined when it does not run. */
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

/** A cached one may lack libraries that the machine had when it was fetched. */
function inCache(cacheDir: string): string | undefined {
  const versions = existsSync(cacheDir) ? readdirSync(cacheDir) : []
  return versions.map((version) => join(cacheDir, version, PACKAGE)).find(runs)
}

const fetchFor = (cacheDir: string) => async (scratch: string, unpacked: string) => {
  await unpackWithLibraries(scratch, { name: PACKAGE }, unpacked)
  const version = versionOf(writeLauncher(unpacked))
  if (version === undefined) throw new Error('it does not run')
  const folder = join(cacheDir, version)
  if (!runs(join(folder, PACKAGE))) {
    rmSync(folder, { recursive: true, force: true })
    renameSync(unpacked, folder)
  }
  return join(folder, PACKAGE)
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

/** PulseAudio keeps its libraries in a folder below that of the architecture. */
function libraryFolders(lib: string): string[] {
  const triplets = readdirSync(lib).filter((name) => /-linux-gnu/.test(name))
  return triplets.flatMap((name) => [name, `${name}/pulseaudio`])
}
