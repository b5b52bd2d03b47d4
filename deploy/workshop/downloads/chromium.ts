import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fetchIntoCache, type FetchOptions } from './debian-fetch.ts'
import { unpackWithLibraries } from './debian-release.ts'

/** A Debian package, which is also the name of its program. */
type Package = 'chromium' | 'chromium-headless-shell'

const FULL = ['chromium', 'chromium-browser', 'google-chrome']
const ON_PATH: Record<Package, readonly string[]> = {
  chromium: FULL,
  'chromium-headless-shell': ['chromium-headless-shell', ...FULL],
}
const CHROMIUM = {
  name: 'Chromium for the browser tests',
  size: '120 MB',
  advice: 'Install Chromium or Chrome so that it is on PATH, or name it in WB_TEST_CHROMIUM.',
}

/**
 * The path of a Chromium for browser tests: that of WB_TEST_CHROMIUM, on PATH, in the cache, or Debian's package,
 * unpacked and not installed. The headless shell has the same features without a window, and takes half the processor
 * time; but it never keeps pages in the back/forward cache, as people's browsers do. Rejects with an error that says
 * what to do.
 */
export async function findChromium(name: Package, options: FetchOptions): Promise<string> {
  const { cacheDir } = options
  const fetched = () => fetchIntoCache(CHROMIUM, options, fetchFor(name, cacheDir))
  return given() ?? onPath(ON_PATH[name]) ?? inCache(name, cacheDir) ?? fetched()
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

function onPath(names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(runs)
}

/** A cached one may lack libraries that the machine had when it was fetched. */
function inCache(name: Package, cacheDir: string): string | undefined {
  const folders = existsSync(cacheDir) ? readdirSync(cacheDir) : []
  return folders.map((folder) => join(cacheDir, folder, name)).find(runs)
}

const fetchFor = (name: Package, cacheDir: string) => async (scratch: string, unpacked: string) => {
  await unpackWithLibraries(scratch, { name }, unpacked)
  const version = versionOf(writeLauncher(name, unpacked))
  if (version === undefined) throw new Error('it does not run')
  const folder = join(cacheDir, `${name}-${version}`)
  if (!runs(join(folder, name))) {
    rmSync(folder, { recursive: true, force: true })
    renameSync(unpacked, folder)
  }
  return join(folder, name)
}

/** A program that finds its libraries where they were unpacked, wherever the folder is moved. */
function writeLauncher(name: Package, folder: string): string {
  const libraries = libraryFolders(join(folder, 'root/usr/lib')).map((each) => `$lib/${each}`)
  const file = join(folder, name)
  const lines = [
    '#!/bin/sh',
    'lib=$(dirname "$(readlink -f "$0")")/root/usr/lib',
    `LD_LIBRARY_PATH="${libraries.join(':')}" exec "$lib/chromium/${name}" "$@"`,
  ]
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o755 })
  return file
}

/** PulseAudio keeps its libraries in a folder below that of the architecture. */
function libraryFolders(lib: string): string[] {
  const triplets = readdirSync(lib).filter((name) => /-linux-gnu/.test(name))
  return triplets.flatMap((name) => [name, `${name}/pulseaudio`])
}
