import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export type Credentials = { client_id: string; client_secret: string }
export type Admin = { email: string; password: string }

/** `demo.json`: how to reach the running system and who may do what in it. Not for production: it holds secrets. */
export type Demo = {
  base_url: string
  nats_url: string
  mqtt_url: string
  org_id: number
  admin: Admin
  /** Every scope of reading and writing. */
  api_key: Credentials
  /** `scans:write` only: what a reader logs in with. */
  reader_key: Credentials
}

export const demoFile = (dataDir: string) => join(dataDir, 'demo.json')

/**
 * The administrator of a demo organization that is being made. Kept before signing up: were the password only in
 * memory, an interrupted start would leave an organization nobody can enter.
 */
const adminFile = (dataDir: string) => join(dataDir, 'demo-admin.json')

/** Undefined when there is none yet. Throws when the file is there and not readable, naming it. */
export function readDemo(file: string): Demo | undefined {
  const demo: Demo | undefined = readJson(file)
  return demo
}

export function writeDemo(dataDir: string, demo: Demo): void {
  writeJson(demoFile(dataDir), demo)
  rmSync(adminFile(dataDir), { force: true })
}

export function readPendingAdmin(dataDir: string): Admin | undefined {
  const admin: Admin | undefined = readJson(adminFile(dataDir))
  return admin
}

export function writePendingAdmin(dataDir: string, admin: Admin): void {
  writeJson(adminFile(dataDir), admin)
}

/** What a file of ours holds, whose shape is taken at its word: it is never seen half written. */
function readJson(file: string): ReturnType<typeof JSON.parse> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`cannot read ${file}: ${reason}. Remove it, or begin anew: npm start -- --reset`, {
      cause: error,
    })
  }
}

/** Readable by its owner only, and never seen half written. */
function writeJson(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true })
  const partial = `${file}.${process.pid}`
  writeFileSync(partial, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(partial, file)
}
