import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { processCommand } from '../servers/process-record.ts'

/**
 * Creates a folder of this process in `parent`, named by `prefix` and the process id, and removes the folders that
 * killed processes left there under the same prefix. Everybody may read it: if we are root, PostgreSQL runs as another
 * user, which needs access.
 */
export function createRunFolder(parent: string, prefix: string): string {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(prefix))) {
    const pid = Number(name.slice(prefix.length).split('-')[0])
    if (processCommand(pid) === undefined) removeIfOurs(join(parent, name))
  }
  const folder = mkdtempSync(join(parent, `${prefix}${process.pid}-`))
  chmodSync(folder, 0o755)
  return folder
}

function removeIfOurs(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // It belongs to another user.
  }
}
