import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { FULL_BELOW_BYTES, storageProblem } from '../servers/broker-storage.ts'

/** `lag`: messages that wait for a consumer of the service; null for processes without one. */
export type Health = { health: 'ready' | 'not ready' | 'not reachable'; lacks: string[]; lag: number | null }

const TIMEOUT_MS = 2_000

/** Whether a server accepts connections. */
export function checkPort(address: string): Promise<Health> {
  const { hostname, port } = new URL(address.includes('://') ? address : `tcp://${address}`)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), timeout: TIMEOUT_MS })
    const end = (health: Health['health']) => {
      socket.destroy()
      resolve({ health, lacks: [], lag: null })
    }
    socket.once('connect', () => end('ready'))
    socket.once('timeout', () => end('not reachable'))
    socket.once('error', () => end('not reachable'))
  })
}

/** Whether the broker accepts connections, and stores messages: of a broker of ours, whose monitor a file names. */
export async function checkBroker(address: string, monitorFile: string): Promise<Health> {
  const found = await checkPort(address)
  const monitorUrl = monitorIn(monitorFile)
  if (found.health !== 'ready' || monitorUrl === undefined) return found
  const problem = await storageProblem(monitorUrl)
  return problem === undefined ? found : { ...found, health: 'not ready', lacks: ['storage'] }
}

function monitorIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined // a given broker
  }
}

/** What `/readyz` and `/metrics` of a service say. */
export async function checkService(opsUrl: string): Promise<Health> {
  try {
    const ask = (path: string) => fetch(`${opsUrl}/${path}`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const [readyz, metrics] = await Promise.all([ask('readyz'), ask('metrics')])
    const { checks = {}, optional = {} } = (await readyz.json()) as {
      checks?: Record<string, boolean>
      optional?: Record<string, boolean>
    }
    const lacks = Object.entries({ ...checks, ...optional }).flatMap(([name, isThere]) =>
      isThere ? [] : name,
    )
    const isReady = readyz.ok && lacks.length === 0
    return { health: isReady ? 'ready' : 'not ready', lacks, lag: lagOf(await metrics.text()) }
  } catch {
    return { health: 'not reachable', lacks: [], lag: null }
  }
}

/** How old the newest stored canary is, which tracking sends the way of a read. */
export type Reads = { stored: boolean; age_seconds: number }

/** Two canaries may be missing. */
const LATE_SECONDS = 180

/** `/metrics` of a service; null if it does not answer. */
export async function readMetrics(opsUrl: string): Promise<string | null> {
  try {
    return await (await fetch(`${opsUrl}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS) })).text()
  } catch {
    return null
  }
}

export function readsOf(metrics: string): Reads | null {
  const age = /^canary_age_seconds(?:\{.*?\})? (\S+)$/m.exec(metrics)?.[1]
  if (age === undefined) return null
  return { stored: Number(age) < LATE_SECONDS, age_seconds: Math.round(Number(age)) }
}

/** What a person should know about reads, in a line, and what to do. `freeBytes`: of the broker's disk in `folder`. */
export function readsLine(reads: Reads | null, freeBytes: number, folder: string, now: number): string {
  if (reads === null) return 'reads: unknown, because tracking does not answer'
  if (reads.stored) return `reads: stored ${reads.age_seconds} s ago`
  const since = new Date(now - reads.age_seconds * 1_000).toISOString()
  const advice =
    freeBytes < FULL_BELOW_BYTES
      ? `the disk of ${folder} is full. Free space there; then nats starts again by itself`
      : 'the last errors above say why; see docs/runbooks.md#readsnotstored'
  return `reads: NOT STORED since ${since}: ${advice}`
}

/** Days of history that wait to be packed; null if tracking has not said so. */
export function daysWaitingOf(metrics: string): number | null {
  const days = /^history_days_waiting(?:\{.*?\})? (\d+)$/m.exec(metrics)?.[1]
  return days === undefined ? null : Number(days)
}

/** A line about them, if there are any. */
export const historyLine = (days: number | null): string[] =>
  days ? [`history: ${days} days wait to be packed, one after the other; nothing is to be done`] : []

/** The sum over all consumers; null if there is none. */
export function lagOf(metrics: string): number | null {
  const values = [...metrics.matchAll(/^consumer_lag_messages\{.*?\} (\S+)$/gm)].map(([, value]) =>
    Number(value),
  )
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0)
}
