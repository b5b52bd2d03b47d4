import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const PATIENTLY = { timeout: 30_000, interval: 50 }
const DAY_MS = 86_400_000

let folder: string
let child: ChildProcess
let log = ''
const path = (name: string) => join(folder, name)
const dumps = () => readdirSync(path('backups')).toSorted()
const metric = () => readFileSync(path('metrics/backup.prom'), 'utf8').split('\n')[1]?.split(' ')[1]

/** A program first on the PATH of the script. */
const program = (name: string, text: string) =>
  writeFileSync(path(`bin/${name}`), `#!/bin/sh\n${text}\n`, { mode: 0o755 })

/** What `date -u` says to the script. */
function setClock(day: string, hour: string) {
  writeFileSync(path('clock'), `${day}\n${hour}\n`)
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nightly-'))
  for (const name of ['bin', 'backups', 'metrics']) mkdirSync(path(name))
  program('date', `case "$2" in +%F) sed -n 1p ${path('clock')} ;; +%H) sed -n 2p ${path('clock')} ;; esac`)
  program('pg_dump', `for last; do :; done; echo data > "\${last#--file=}"; [ ! -e ${path('broken')} ]`)
})
afterEach(async () => {
  if (child.exitCode === null) {
    child.kill('SIGTERM')
    await once(child, 'exit') // the script ends by itself
  }
  rmSync(folder, { recursive: true })
})

function start() {
  log = ''
  child = spawn('sh', [join(import.meta.dirname, 'nightly.sh')], {
    env: {
      PATH: `${path('bin')}:${process.env['PATH']}`,
      BACKUP_DIR: path('backups'),
      METRICS_DIR: path('metrics'),
      BACKUP_DAYS: '2',
      BACKUP_HOUR: '2',
      BACKUP_CHECK_SECONDS: '0.1',
    },
  })
  child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
}

test('each night has one dump, only the owner reads it, and old ones are deleted', async () => {
  setClock('2027-01-01', '23')
  start()
  await expect.poll(dumps, PATIENTLY).toEqual(['whereabouts-2027-01-01.dump']) // at the first start, at any hour
  expect(statSync(path('backups/whereabouts-2027-01-01.dump')).mode & 0o777).toBe(0o600)
  for (const day of ['2027-01-02', '2027-01-03', '2027-01-04']) {
    for (const name of dumps()) {
      const { mtimeMs } = statSync(path(`backups/${name}`))
      utimesSync(path(`backups/${name}`), new Date(mtimeMs - DAY_MS), new Date(mtimeMs - DAY_MS))
    }
    setClock(day, '02')
    await expect.poll(dumps, PATIENTLY).toContain(`whereabouts-${day}.dump`)
  }
  await expect.poll(dumps, PATIENTLY).toEqual(['whereabouts-2027-01-03.dump', 'whereabouts-2027-01-04.dump'])
  const newest = Math.floor(statSync(path('backups/whereabouts-2027-01-04.dump')).mtimeMs / 1000)
  await expect.poll(metric, PATIENTLY).toBe(String(newest))
})

test('a failed dump leaves nothing behind, says so, deletes nothing, and is repeated until it works', async () => {
  setClock('2027-01-01', '05')
  writeFileSync(path('broken'), '')
  start()
  await expect.poll(() => log.split('the dump failed').length - 1, PATIENTLY).toBeGreaterThan(2)
  expect(dumps().filter((name) => name.endsWith('.dump'))).toEqual([])
  expect(metric()).toBe('0')
  rmSync(path('broken'))
  await expect.poll(dumps, PATIENTLY).toEqual(['whereabouts-2027-01-01.dump'])
})
