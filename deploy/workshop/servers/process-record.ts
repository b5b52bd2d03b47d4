import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { poll } from './poll.ts'

/** The content of a pid file. `started` detects a pid that was reused. */
type ProcessRecord = { pid: number; started: string }

/** Records the running process `pid` for a later run. Does nothing when it has ended. */
export function recordProcess(file: string, pid: number): void {
  const started = processStart(pid)
  if (started === undefined) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify({ pid, started } satisfies ProcessRecord)}\n`)
}

/** The pid in `file` if that process still runs. */
export function recordedProcess(file: string): number | undefined {
  const record = readRecord(file)
  return record && processStart(record.pid) === record.started ? record.pid : undefined
}

/** Stops the process that a killed run left behind, as recorded in `file`. Returns its pid, if any. */
export async function stopRecordedProcess(file: string, signal: NodeJS.Signals, graceMs: number) {
  const pid = recordedProcess(file)
  if (pid !== undefined) await endProcess(pid, signal, graceMs)
  rmSync(file, { force: true })
  return pid
}

/** Sends `signal` and waits for the end, with SIGKILL after `graceMs`. For processes that are not our children. */
export async function endProcess(pid: number, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  const started = processStart(pid)
  if (started === undefined) return
  const ended = () => (processStart(pid) === started ? undefined : true)
  sendSignal(pid, signal)
  if (await poll(ended, { everyMs: 20, timeoutMs: graceMs })) return
  sendSignal(pid, 'SIGKILL')
  await poll(ended, { everyMs: 20, timeoutMs: 5000 })
}

/** Sends a signal. Ignores that the process has ended. */
function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** The command line of a running process, else undefined (a zombie counts as ended). */
export function processCommand(pid: number): string | undefined {
  if (process.platform !== 'linux') return ps(pid, 'command')
  const command = readProc(pid, 'cmdline')?.replaceAll('\0', ' ').trim()
  return command === '' ? undefined : command
}

/** The start time of a process in a system-specific form, for comparison only. */
function processStart(pid: number): string | undefined {
  if (process.platform !== 'linux') return ps(pid, 'lstart')
  // After the command, which may hold spaces and parentheses: field 1 is the state, field 20 the start time.
  const fields = readProc(pid, 'stat')
    ?.replace(/^.*\) /s, '')
    .split(' ')
  return fields === undefined || fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
}

function readProc(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return undefined // the process ended
  }
}

function ps(pid: number, column: 'command' | 'lstart'): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' }).trim()
    return line === '' || line.endsWith('<defunct>') ? undefined : line
  } catch {
    return undefined // ps ends with 1 when the process is gone
  }
}

function readRecord(file: string): ProcessRecord | undefined {
  try {
    const record: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isRecord(record) ? record : undefined
  } catch {
    return undefined // no file, or a truncated one
  }
}

function isRecord(value: unknown): value is ProcessRecord {
  if (typeof value !== 'object' || value === null || !('pid' in value) || !('started' in value)) return false
  return Number.isSafeInteger(value.pid) && Number(value.pid) > 1 && typeof value.started === 'string'
}
