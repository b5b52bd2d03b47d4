import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { logsDir } from './servers/child.ts'
import { postgresAccount } from './servers/postgres-account.ts'

/** What a stack keeps in its data folder, and what the processes of tests add to it. */
const OURS =
  /^(?:postgres|nats|logs|run|secrets\.json|demo(?:-admin)?\.json|(?:ops|republish)\.env)(?:\.\d+)?$/

/**
 * Makes the data folder of a stack, or corrects one of an earlier release: other users of the machine see nothing of it,
 * and nothing of the logs. When root starts us, PostgreSQL runs as another user, whose group may pass through to its own
 * folder. A folder that holds other things too is not ours to close; its logs are closed all the same.
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

/** `passing`: the group that may enter, without seeing what there is. */
function close(folder: string, passing: number | undefined): void {
  if (passing === undefined) {
    chmodSync(folder, 0o700)
    return
  }
  chownSync(folder, 0, passing)
  chmodSync(folder, 0o710)
}
