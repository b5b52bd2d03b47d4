import {
  accessSync,
  chmodSync,
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'
import { processCommand } from './servers/process-record.ts'

const MEMORY = '/dev/shm'
const PREFIX = 'whereabouts-tmp-'
/** A whole run of the tests keeps less than half of this. */
const NEEDED_BYTES = 4 * 2 ** 30

/**
 * Sets TMPDIR to a new folder in memory, for this process and its children, and returns what removes it. Tests create
 * and delete some hundred thousand files, which costs a disk a fifth of the processor time. Where memory or `/dev/shm` is small, or
 * where TMPDIR is set already, nothing changes.
 */
export function keepTemporaryFilesInMemory(): () => void {
  if (process.env['TMPDIR'] !== undefined || !hasRoom()) return () => undefined
  removeAbandoned()
  const folder = mkdtempSync(join(MEMORY, `${PREFIX}${process.pid}-`))
  chmodSync(folder, 0o755) // as root, PostgreSQL runs as another user, who must get in
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
    return bavail * bsize >= NEEDED_BYTES && freemem() >= NEEDED_BYTES && runsPrograms()
  } catch {
    return false // not Linux, or not ours to write in
  }
}

/** Tests put programs into their folders; a file system that is mounted `noexec` would refuse them. */
function runsPrograms(): boolean {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const [, , type, options] = mounts.map((line) => line.split(' ')).find(([, path]) => path === MEMORY) ?? []
  return type === 'tmpfs' && options !== undefined && !options.split(',').includes('noexec')
}

/** Removes the folders of killed runs. */
function removeAbandoned(): void {
  for (const name of readdirSync(MEMORY).filter((entry) => entry.startsWith(PREFIX))) {
    const pid = Number(name.slice(PREFIX.length).split('-')[0])
    if (processCommand(pid) !== undefined) continue
    try {
      rmSync(join(MEMORY, name), { recursive: true, force: true })
    } catch {
      // It belongs to another user.
    }
  }
}
