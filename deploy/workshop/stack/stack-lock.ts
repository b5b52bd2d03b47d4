import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { recordProcess, recordedProcess } from '../servers/process-record.ts'
import { readStackRecord } from './stack-record.ts'

/**
 * Claims a data folder for this process until the returned function is called. Throws when another launcher runs on it,
 * whose servers must not be stopped as leftovers.
 */
export function claimDataDir(dataDir: string): () => void {
  const file = join(dataDir, 'run/launcher.pid')
  mkdirSync(join(dataDir, 'run'), { recursive: true })
  const holder = recordedProcess(file)
  if (holder !== undefined) {
    throw new Error(
      holder === process.pid
        ? `this process already runs a stack on ${dataDir}`
        : `another stack runs on ${dataDir} (pid ${holder}${addressOf(dataDir)}): stop it, or set DATA_DIR and other ports. See npm run status.`,
    )
  }
  recordProcess(file, process.pid)
  return () => rmSync(file, { force: true })
}

function addressOf(dataDir: string): string {
  const record = readStackRecord(dataDir)
  return record ? `, ${record.base}` : ', starting'
}
