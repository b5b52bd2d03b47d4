import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { dataPlaces } from '../servers/postgres-account.ts'
import { stopLeftovers } from './leftovers.ts'
import { claimDataDir } from './stack-lock.ts'
import { postgresDir } from './stack-servers.ts'

// By name, never the folder itself: DATA_DIR may also hold other files.
const OURS = [
  'nats',
  'logs',
  'secrets.json',
  'demo.json',
  'demo-admin.json',
  'ops.env',
  'explain.env',
  'republish.env',
  'run',
]

/** Deletes the data of earlier starts. Throws while another launcher runs on it. */
export async function resetData(dataDir: string, onNote: (note: string) => void): Promise<void> {
  const release = claimDataDir(dataDir)
  await stopLeftovers(dataDir, onNote)
  release()
  const folders = [...dataPlaces(postgresDir(dataDir)), ...OURS.map((name) => join(dataDir, name))]
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}
