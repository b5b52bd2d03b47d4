import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export type Credentials = { client_id: string; client_secret: string }
export type Admin = { email: string; password: string }

/** `demo.json`: addresses and credentials of the running demo. It holds secrets. */
export type Demo = {
  base_url: string
  nats_url: string
  mqtt_url: string
  /** `GET {mail_url}/email` lists the mails that were sent. */
  mail_url: string
  org_id: number
  admin: Admin
  /** With all scopes. */
  api_key: Credentials
  /** With `scans:write` only, for readers. */
  reader_key: Credentials
}

export const demoFile = (dataDir: string) => join(dataDir, 'demo.json')

/**
 * The administrator of a demo organization during its creation. Written before the sign-up, so that an interrupted
 * start does not lose the password.
 */
const adminFile = (dataDir: string) => join(dataDir, 'demo-admin.json')

/** Undefined without the file. Throws an error with its name when it cannot be read. */
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

/** The content of a file that this program wrote, without validation. */
function readJson(file: string): ReturnType<typeof JSON.parse> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`cannot read ${file}: ${reason}. Remove it, or delete all data: npm start -- --reset`, {
      cause: error,
    })
  }
}

/** Only its owner may read it. Written whole, by a rename. */
function writeJson(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true })
  const partial = `${file}.${process.pid}`
  writeFileSync(partial, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(partial, file)
}
