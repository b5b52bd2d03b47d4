import { eventually } from '@whereabouts/testing/eventually'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { hasEnded } from './child.ts'
import { recordProcess, recordedProcess, stopRecordedProcess } from './process-record.ts'

let folder: string
let pidFile: string
let child: ChildProcess

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'record-'))
  pidFile = join(folder, 'run/server.pid')
  child = spawn('sleep', ['60'])
  await once(child, 'spawn')
  recordProcess(pidFile, child.pid!)
})

afterEach(() => {
  child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

test('a recorded process that still runs is found and ended', async () => {
  expect(recordedProcess(pidFile)).toBe(child.pid)
  expect(await stopRecordedProcess(pidFile, 'SIGTERM', 5000)).toBe(child.pid)
  await eventually(() => expect(child.signalCode).toBe('SIGTERM'))
  expect(recordedProcess(pidFile)).toBeUndefined()
})

test('a process that reuses the pid is left alone', async () => {
  const record = JSON.parse(readFileSync(pidFile, 'utf8'))
  writeFileSync(pidFile, JSON.stringify({ ...record, started: 'another time' }))
  expect(await stopRecordedProcess(pidFile, 'SIGTERM', 5000)).toBeUndefined()
  expect(hasEnded(child)).toBe(false)
})

test.for(['', '{"pid":1,"started":"0"}', '{"pid":"x"}', 'null'])(
  'a broken pid file %j names no process',
  async (content) => {
    writeFileSync(pidFile, content)
    expect(await stopRecordedProcess(pidFile, 'SIGTERM', 5000)).toBeUndefined()
  },
)

test('a guarded child is ended when its parent is killed', async () => {
  const guard = new URL('guard.ts', import.meta.url).href
  const parent = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    `import { spawn } from 'node:child_process'
     import { guardChild } from '${guard}'
     const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
     guardChild(child, 'TERM')
     console.log(child.pid)
     setInterval(() => {}, 1000)`,
  ])
  const [output] = await once(parent.stdout, 'data')
  recordProcess(pidFile, Number(output))
  expect(recordedProcess(pidFile)).toBe(Number(output))
  parent.kill('SIGKILL')
  await vi.waitFor(() => expect(recordedProcess(pidFile)).toBeUndefined(), { timeout: 5000 })
})
