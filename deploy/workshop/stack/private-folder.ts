import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { logsDir } from '../servers/child.ts'
import { postgresAccount } from '../servers/postgres-account.ts'

/** The files of a stack in its data folder, with those of test processes. */
const OURS =
  /^(?:postgres|nats|logs|run|secrets\.json|demo(?:-admin)?\.json|(?:ops|republish)\.env)(?:\.\d+)?$/

/**
 * Creates the data folder of a stack, or corrects an older one, so that other users can read neither it nor the logs.
 * Under root, PostgreSQL runs as another user, whose group may pass through to its own folder. A folder that also
 * holds other files keeps its mode; its logs are still closed.
 */
export function makePrivate(dataDir: string, hasPostgres: boolean): void {
  const isOurs = !existsSync(dataDir) || readdirSync(dataDir).every((name) => OURS.test(name))
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (isOurs) close(dataDir, hasPostgres ? postgresAccount().gid : undefined)
  const logs = logsDir(dataDir)
  mkdirSync(logs, { recursive: true, mode: 0o700 })
  chmodSync(logs, 0o700)
  for (const name of readdirSync(logs)) chmodSync(join(logs, name), 0o600)
}

/** `passing`: the group that may enter but not list. */
function close(folder: string, passing: number | undefined): void {
  if (passing === undefined) {
    chmodSync(folder, 0o700)
    return
  }
  chownSync(folder, 0, passing)
  chmodSync(folder, 0o710)
}
