import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** Where the stack on a data folder listens. Without secrets. The pid files beside it name its processes. */
const StackRecord = z.object({
  started_at: z.string(),
  base: z.string(),
  nats: z.string(),
  mqtt: z.string(),
  /** Host and port; null for a given server. */
  postgres: z.string().nullable(),
  /** Of `/readyz` and `/metrics`, by service. */
  ops: z.record(z.string(), z.string()),
})
export type StackRecord = z.output<typeof StackRecord>

export const runFile = (dataDir: string, name: string) => join(dataDir, 'run', name)
const fileOf = (dataDir: string) => runFile(dataDir, 'stack.json')

/** Written whole, by a rename. */
export function writeStackRecord(dataDir: string, record: StackRecord): void {
  const partial = `${fileOf(dataDir)}.${process.pid}`
  writeFileSync(partial, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 })
  renameSync(partial, fileOf(dataDir))
}

/** Undefined if no stack was started there. */
export function readStackRecord(dataDir: string): StackRecord | undefined {
  try {
    return StackRecord.parse(JSON.parse(readFileSync(fileOf(dataDir), 'utf8')))
  } catch {
    return undefined
  }
}

export const removeStackRecord = (dataDir: string): void => rmSync(fileOf(dataDir), { force: true })
