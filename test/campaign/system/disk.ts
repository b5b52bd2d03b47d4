import { spawnSync } from 'node:child_process'
import { mkdirSync, statfsSync } from 'node:fs'

/** A file system of its own in memory, which can become full. */
export type Disk = { fill(): void; free(): void; unmount(): void }

/** Sparse: it takes memory only for what is stored. The broker reserves the limits of its streams, 4 GB. */
const SIZE = '8g'
/** What is left when it is full. */
const LEFT_BYTES = 64 * 1024

const run = (command: string, ...args: string[]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0

/** Undefined where this user may not mount a file system. */
export function mountDisk(folder: string): Disk | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  if (!run('mount', '-t', 'tmpfs', '-o', `size=${SIZE},mode=755`, 'tmpfs', folder)) return undefined
  const resize = (size: string | number) => run('mount', '-o', `remount,size=${size}`, folder)
  return {
    fill() {
      const { blocks, bfree, bsize } = statfsSync(folder)
      resize((blocks - bfree) * bsize + LEFT_BYTES)
    },
    free: () => void resize(SIZE),
    unmount: () => void (run('umount', folder) || run('umount', '-l', folder)),
  }
}
