import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startStage } from './stage.fixture.ts'

// Prints what a read and a row cost the replicas, with one partition and with several: processor time, in one run.
const PROGRAM = fileURLToPath(new URL('leaving-replica.fixture.ts', import.meta.url))
const [SITES, ASSETS, MINUTES, REPEATS] = [32, 20, 40, 60]
const MINUTE = 60_000
const T0 = Math.floor(Date.now() / MINUTE) * MINUTE - 3 * 60 * MINUTE
const PLANS = [[1, 1], [4, 1], [16, 1], [1, 2], [4, 2], [16, 2], [16, 4], [1, 1]] as const // oxfmt-ignore

/** Ticks of user and system time of a process are hundredths of a second on Linux. */
function cpuMs(children: readonly ChildProcess[]): number {
  const ticks = children.map(({ pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return Number(fields[11]) + Number(fields[12])
  })
  return ticks.reduce((sum, each) => sum + each, 0) * 10
}

async function measure(partitions: number, replicas: number) {
  const stage = await startStage({ partitions })
  const sites = await Promise.all(Array.from({ length: SITES }, (_, i) => stage.open(i + 1, ASSETS)))
  const children: ChildProcess[] = []
  try {
    for (let i = 0; i < replicas; i += 1) {
      const child = fork(PROGRAM, [JSON.stringify(stage.replica)])
      await once(child, 'message')
      children.push(child)
    }
    const sendAll = (minute: number) =>
      Promise.all(
        sites.map(
          (site) =>
          stage.send(site, Array.from({ length: ASSETS }, (_, asset) => ({ asset, antenna: 1, at: T0 + minute * MINUTE }))), // oxfmt-ignore
        ),
      )
    await sendAll(0) // compiles, and finds the assets
    await stage.settled()
    const start = cpuMs(children)
    for (let minute = 1; minute <= MINUTES; minute += 1) await sendAll(minute)
    await stage.settled()
    const afterRows = cpuMs(children)
    for (let again = 0; again < REPEATS; again += 1) await sendAll(MINUTES)
    await stage.settled()
    const end = cpuMs(children)
    return {
      row: ((afterRows - start) * 1_000) / (SITES * ASSETS * MINUTES),
      read: ((end - afterRows) * 1_000) / (SITES * ASSETS * REPEATS),
    }
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await stage.stop()
  }
}

test('what partitions cost', { timeout: 1_200_000 }, async () => {
  const lines: string[] = []
  for (const [partitions, replicas] of PLANS) {
    const { row, read } = await measure(partitions, replicas)
    expect(Math.min(row, read)).toBeGreaterThan(0)
    lines.push(
      `${partitions} partitions, ${replicas} replicas: ${row.toFixed(1)} µs a row, ${read.toFixed(2)} µs a read`,
    )
  }
  process.stdout.write(`${lines.join('\n')}\n`)
})
