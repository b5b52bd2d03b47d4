import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startReplica } from './replica.fixture.ts'
import { startStage, type Site, type Stage } from './stage.fixture.ts'

const PROGRAM = fileURLToPath(new URL('leaving-replica.fixture.ts', import.meta.url))
const PARTITIONS = 8
const SITES = 12
const ASSETS = 4
const MOST_REPLICAS = 4
/** Joins, leaves and kills. */
const CHANGES = Number(process.env['PARTITION_CHANGES'] ?? 24)
const SEED = Number(process.env['PARTITION_SEED'] ?? 1)
const MINUTE = 60_000
/** The times of reads go on by a minute with each message, and must not reach the future. */
const T0 = Math.floor(Date.now() / MINUTE) * MINUTE - 20 * 60 * MINUTE
const MINUTES = 19 * 60

/** An asset stays, moves and comes back. The same for all sites. */
const antennaOf = (asset: number, minute: number) => (Math.floor(minute / (asset + 1)) % 2) + 1

const readAll = (stage: Stage, site: Site, minute: number) =>
  stage.send(site, Array.from({ length: ASSETS }, (_, asset) => ({ asset, antenna: antennaOf(asset, minute), at: T0 + minute * MINUTE }))) // oxfmt-ignore

/** Park and Miller's generator. */
function random(seed: number) {
  let state = seed
  return (below: number) => (state = (state * 48_271) % 2_147_483_647) % below
}

test(
  'replicas that join, leave and are killed under load lose nothing, repeat nothing and keep the order',
  { timeout: 3_600_000 },
  async () => {
    const stage = await startStage({ partitions: PARTITIONS })
    onTestFinished(() => stage.stop())
    const pick = random(SEED)
    const sites = await Promise.all(Array.from({ length: SITES }, (_, i) => stage.open(i + 1, ASSETS)))
    const calm = await stage.open(999, ASSETS)

    const running: ChildProcess[] = []
    onTestFinished(() => running.forEach((child) => child.kill('SIGKILL')))
    async function join(): Promise<void> {
      const child = fork(PROGRAM, [JSON.stringify(stage.replica)])
      await once(child, 'message')
      running.push(child)
    }
    async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
      const [child] = running.splice(pick(running.length), 1)
      const exited = child && once(child, 'exit')
      child?.kill(signal)
      await exited
    }

    let minute = 0
    let isOver = false
    const load = (async () => {
      while (!isOver && minute < MINUTES) {
        await Promise.all(sites.map((site) => readAll(stage, site, minute)))
        minute += 1
        await wait(150) // the pace of the load
      }
    })()
    const counts = { join: 0, leave: 0, kill: 0 }
    await join()
    for (let change = 0; change < CHANGES; change += 1) {
      const what = running.length === 1 ? 'join' : running.length === MOST_REPLICAS ? (['leave', 'kill'] as const)[pick(2)]! : (['join', 'leave', 'kill'] as const)[pick(3)]! // oxfmt-ignore
      counts[what] += 1
      if (what === 'join') await join()
      else await end(what === 'leave' ? 'SIGTERM' : 'SIGKILL')
      await wait(pick(3_000)) // the next change comes in the middle of a hand-over, or after it
    }
    isOver = true
    await load
    await stage.settled()
    while (running.length > 0) await end('SIGTERM')

    const alone = await startReplica(stage.replica)
    for (let each = 0; each < minute; each += 1) await readAll(stage, calm, each)
    await stage.settled()
    await alone.stop()
    const wanted = await stage.outcome(calm)
    expect(wanted.history).toHaveLength(minute * ASSETS)
    expect(wanted.events.length).toBeGreaterThan(minute)
    for (const site of sites) expect(await stage.outcome(site)).toEqual(wanted)
    console.log(`${JSON.stringify(counts)}, ${minute * SITES} messages`)
  },
)
