import { accessSync, constants, readFileSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'
import { createRunFolder } from './run-folder.ts'

const MEMORY = '/dev/shm'
const PREFIX = 'whereabouts-tmp-'
/** A whole run of the tests needs less than half of this. */
const NEEDED_BYTES = 4 * 2 ** 30

/**
 * Sets TMPDIR to a new folder in memory, for this process and its children. Returns a function that removes the folder.
 * Tests create and delete some hundred thousand files; on a disk that takes a fifth of the processor time. Changes
 * nothing if memory or `/dev/shm` is small, or if TMPDIR is already set.
 */
export function keepTemporaryFilesInMemory(): () => void {
  if (process.env['TMPDIR'] !== undefined || !hasRoom()) return () => undefined
  return keepTemporaryFilesIn(MEMORY)
}

/** Exported for tests. */
export function keepTemporaryFilesIn(parent: string): () => void {
  const folder = createRunFolder(parent, PREFIX)
  process.env['TMPDIR'] = folder
  return () => {
    delete process.env['TMPDIR']
    rmSync(folder, { recursive: true, force: true })
  }
}

function hasRoom(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    const mounts = readFileSync('/proc/mounts', 'utf8')
    return bavail * bsize >= NEEDED_BYTES && freemem() >= NEEDED_BYTES && runsPrograms(mounts)
  } catch {
    return false // not Linux, or not writable
  }
}

/**
 * Whether programs may run in `/dev/shm`, by the text of `/proc/mounts`. Tests put programs into their folders, and a
 * file system that is mounted `noexec` refuses to run them. Exported for tests.
 */
export function runsPrograms(mounts: string): boolean {
  const lines = mounts.split('\n').map((line) => line.split(' '))
  const [, , type, options] = lines.find(([, path]) => path === MEMORY) ?? []
  return type === 'tmpfs' && options !== undefined && !options.split(',').includes('noexec')
}
