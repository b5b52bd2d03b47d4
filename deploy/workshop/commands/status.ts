// The command `npm run status` after its preparation (status.mjs).
import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isCurrent, isErrorLine, lastError, withAge } from './last-error.ts'
import { logsDir } from '../servers/child.ts'
import { recordedProcess } from '../servers/process-record.ts'
import { ROOT } from '../../installation/services.ts'
import {
  checkBroker,
  checkPort,
  checkService,
  daysWaitingOf,
  historyLine,
  readMetrics,
  readsLine,
  readsOf,
  type Health,
  type Reads,
} from '../stack/stack-health.ts'
import { freeBytes } from '../servers/broker-storage.ts'
import { readStackRecord, runFile, type StackRecord } from '../stack/stack-record.ts'
import { natsMonitorFile, natsPidFile } from '../servers/nats-server.ts'
import { natsDir } from '../stack/stack-servers.ts'

type Row = { name: string; pid: number | null; address: string | null; last_error: string | null } & Health
type Status = {
  data_dir: string
  state: 'running' | 'degraded' | 'stopped'
  started_at: string | null
  launcher_pid: number | null
  processes: Row[]
  /** Null if tracking does not run or does not answer. */
  reads: Reads | null
  /** Days of history that wait to be packed; null if tracking does not answer. */
  history_days_waiting: number | null
}

const DEMO =
  'demo: its readers send about one broken message a minute on purpose; some become dead letters (npm run dead-letters -- list)'

const EXIT_CODES = { running: 0, degraded: 1, stopped: 3 } as const

async function statusOf(dataDir: string): Promise<Status> {
  const launcher = recordedProcess(runFile(dataDir, 'launcher.pid'))
  const record = readStackRecord(dataDir)
  const tracking = record?.ops['tracking']
  const metrics = (tracking === undefined ? null : await readMetrics(tracking)) ?? ''
  const reads = readsOf(metrics)
  const processes = record ? await Promise.all(rowsOf(dataDir, record)) : []
  const isAnyThere = launcher !== undefined || processes.some(({ pid }) => pid !== null)
  const isWell = launcher !== undefined && processes.every(({ health }) => health === 'ready')
  return {
    data_dir: dataDir,
    state: !isAnyThere ? 'stopped' : isWell && record ? 'running' : 'degraded',
    started_at: isAnyThere ? (record?.started_at ?? null) : null,
    launcher_pid: launcher ?? null,
    processes: isAnyThere ? processes : [],
    reads,
    history_days_waiting: daysWaitingOf(metrics),
  }
}

function rowsOf(dataDir: string, record: StackRecord): Promise<Row>[] {
  const row = async (name: string, pidFile: string, address: string | null, check: Promise<Health>) => {
    const pid = recordedProcess(pidFile)
    const health = await check
    const error = lastError(join(logsDir(dataDir), `${name}.log`), isErrorLine)
    const startedAt = pid === undefined ? undefined : statSync(pidFile).mtimeMs // written at the start
    const isHealthy = health.health === 'ready'
    const isShown = error !== undefined && isCurrent(error, { isHealthy, startedAt, now: Date.now() })
    return { name, pid: pid ?? null, address, ...health, last_error: isShown ? error : null }
  }
  const servers = [
    record.postgres !== null &&
      row('postgres', runFile(dataDir, 'postgres.pid'), record.postgres, checkPort(record.postgres)),
    row(
      'nats',
      natsPidFile(natsDir(dataDir)),
      record.nats,
      checkBroker(record.nats, natsMonitorFile(natsDir(dataDir))),
    ),
  ]
  const services = Object.entries(record.ops).map(([name, ops]) =>
    row(name, runFile(dataDir, `${name}.pid`), name === 'gateway' ? record.base : ops, checkService(ops)),
  )
  return [...servers.filter((one) => one !== false), ...services]
}

function textOf(status: Status): string {
  const { data_dir, state, started_at, launcher_pid, processes, reads, history_days_waiting } = status
  if (state === 'stopped') return `Nothing runs on ${data_dir}. Start it with npm start.\n`
  const since = started_at === null ? '' : `, since ${started_at}`
  const launcher =
    launcher_pid === null ? 'without its launcher: npm start stops and replaces it' : `pid ${launcher_pid}`
  const head = ['', 'pid', 'health', 'lag', 'address', 'last error']
  const rows = processes.map((one) => [
    one.name,
    String(one.pid ?? '-'),
    one.lacks.length > 0 ? `${one.health}, lacks ${one.lacks.join(', ')}` : one.health,
    one.lag === null ? '' : String(one.lag),
    one.address ?? '',
    one.last_error === null ? '' : withAge(one.last_error, Date.now()),
  ])
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)))
  const line = (cells: string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd()
  return [
    `Whereabouts on ${data_dir} (${launcher}${since}): ${state}`,
    '',
    ...[head, ...rows].map(line),
    '',
    readsLine(reads, freeBytes(natsDir(data_dir)), natsDir(data_dir), Date.now()),
    ...historyLine(history_days_waiting),
    ...(existsSync(join(data_dir, 'demo.json')) ? [DEMO] : []),
    '',
  ].join('\n')
}

const dataDir = resolve(ROOT, process.env['DATA_DIR'] || '.data')
const status = await statusOf(dataDir)
process.stdout.write(
  process.argv.includes('--json') ? `${JSON.stringify(status, null, 2)}\n` : textOf(status),
)
process.exitCode = EXIT_CODES[status.state]
