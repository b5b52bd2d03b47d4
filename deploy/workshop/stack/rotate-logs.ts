import { copyFileSync, readdirSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'

/** A log keeps between this much and twice as much. */
const MOST_BYTES = 20 * 1024 * 1024
const EVERY_MS = 10_000

/**
 * Moves each log above a size to `<name>.log.1`, which replaces the one before. Copies and truncates, because the programs keep
 * their files open and append; a line that is written in between is lost.
 */
export function rotateLogs(folder: string, mostBytes = MOST_BYTES): void {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.log'))) {
    const file = join(folder, name)
    if (statSync(file).size <= mostBytes) continue
    copyFileSync(file, `${file}.1`)
    truncateSync(file)
  }
}

/** Rotates from now on until the returned function is called. A full disk or a missing folder stops nothing. */
export function keepLogsSmall(folder: string): () => void {
  const timer = setInterval(() => {
    try {
      rotateLogs(folder)
    } catch {
      // The next turn tries it again.
    }
  }, EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}
