import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { privateApt, unpack } from './debian-apt.ts'

const ADVICE = 'Install Prometheus so that promtool is on PATH, or name it in WB_TEST_PROMTOOL.'

type Options = {
  /** Folder kept between runs. */
  cacheDir: string
}

/**
 * The path of a promtool, which checks and tests alert rules: the one of WB_TEST_PROMTOOL, on PATH, in the cache, or out
 * of Debian's package `prometheus`, freshly fetched and not installed (20 MB). Throws an error that says what to do.
 */
export async function findPromtool({ cacheDir }: Options): Promise<string> {
  const kept = join(cacheDir, 'promtool')
  const present = given() ?? onPath() ?? (runs(kept) ? kept : undefined)
  if (present !== undefined) return present
  try {
    return await fetchDebianPackage(cacheDir, kept)
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim() : String(error)
    throw new Error(`found no promtool, and Debian's package could not be fetched: ${reason}\n${ADVICE}`, {
      cause: error,
    })
  }
}

const runs = (binary: string) =>
  existsSync(binary) && spawnSync(binary, ['--version'], { timeout: 20_000 }).status === 0

function given(): string | undefined {
  const path = process.env['WB_TEST_PROMTOOL']
  if (!path) return undefined
  if (!runs(path)) throw new Error(`WB_TEST_PROMTOOL names ${path}, which does not run`)
  return path
}

function onPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return folders.map((folder) => join(folder, 'promtool')).find(runs)
}

async function fetchDebianPackage(cacheDir: string, kept: string): Promise<string> {
  const scratch = mkdtempSync(join(tmpdir(), 'promtool-'))
  // In the cache from the beginning: a rename does not reach across file systems.
  mkdirSync(cacheDir, { recursive: true })
  const root = mkdtempSync(join(cacheDir, 'unpacking-'))
  try {
    const apt = privateApt(scratch)
    await apt(['update'])
    await apt(['download', 'prometheus'])
    const file = readdirSync(scratch).find((name) => name.endsWith('.deb'))
    if (file === undefined) throw new Error('apt-get downloaded nothing')
    await unpack(join(scratch, file), root)
    const unpacked = join(root, 'usr/bin/promtool')
    if (!runs(unpacked)) throw new Error('it does not run')
    renameSync(unpacked, kept) // another run may have been faster; its copy is as good
    return kept
  } finally {
    for (const folder of [scratch, root]) rmSync(folder, { recursive: true, force: true })
  }
}
