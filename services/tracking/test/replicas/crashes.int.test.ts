import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startReplica, steps, type Step } from './replica.fixture.ts'
import { startStage, type Site, type Stage } from './stage.fixture.ts'

const PROGRAM = fileURLToPath(new URL('dying-replica.fixture.ts', import.meta.url))
const MINUTE = 60_000
const T0 = Math.floor(Date.now() / MINUTE) * MINUTE - 10 * MINUTE
const [DOCK, SHELF, NOWHERE] = [1, 2, 3]

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.stop())

/** Minute by minute, one message each: asset 0 moves twice, 1 does not move, 2 is first seen without a location. */
async function readAll(site: Site): Promise<void> {
  const seen = [
    [DOCK, DOCK, NOWHERE],
    [SHELF, DOCK, SHELF],
    [DOCK, DOCK, SHELF],
  ]
  for (const [minute, antennas] of seen.entries())
    await stage.send(site, antennas.map((antenna, asset) => ({ asset, antenna, at: T0 + minute * MINUTE }))) // oxfmt-ignore
}

const at = (minute: number) => new Date(T0 + minute * MINUTE).toISOString()
const whatHappened = {
  history: [
    [0, at(0), 'Dock'],
    [0, at(1), 'Shelf'],
    [0, at(2), 'Dock'],
    [1, at(0), 'Dock'],
    [1, at(1), 'Dock'],
    [1, at(2), 'Dock'],
    [2, at(0), null],
    [2, at(1), 'Shelf'],
    [2, at(2), 'Shelf'],
  ],
  positions: [
    [0, at(2), 'Dock', at(2)],
    [1, at(2), 'Dock', at(0)],
    [2, at(2), 'Shelf', at(1)],
  ],
  events: [
    [0, at(0), null, 'Dock'],
    [0, at(1), 'Dock', 'Shelf'],
    [0, at(2), 'Shelf', 'Dock'],
    [1, at(0), null, 'Dock'],
    [2, at(1), null, 'Shelf'],
  ],
  deliveryIds: 5,
}

/** A process that handles messages until one of them reaches `step`. */
async function dieAt(step: Step): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify({ ...stage.replica, step })], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 30_000, // one that no message brings so far must not outlive the test
  })
  const [said, [, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect({ said, signal }).toEqual({ said: step, signal: 'SIGKILL' })
}

test.for(steps.map((step, i) => ({ step, orgId: i + 1 })))(
  'a process that dies with a message $step loses nothing and repeats no event',
  { timeout: 60_000 },
  async ({ step, orgId }) => {
    const site = await stage.open(orgId, 3)
    await readAll(site)
    await dieAt(step)
    const successor = await startReplica(stage.replica)
    await stage.settled()
    await successor.stop()
    expect(await stage.outcome(site)).toEqual(whatHappened)
  },
)

test(
  'processes that die one after another, each a step later, lose nothing and repeat no event',
  { timeout: 120_000 },
  async () => {
    const site = await stage.open(100, 3)
    // One read of each asset, because redelivered messages arrive in any order.
    for (const asset of [0, 1, 2]) await stage.send(site, [{ asset, antenna: DOCK, at: T0 }])
    // The faster process publishes committed events.
    for (const step of steps.slice(0, steps.indexOf('acknowledged') + 1)) await dieAt(step)
    const successor = await startReplica(stage.replica)
    await stage.settled()
    await successor.stop()
    expect(await stage.outcome(site)).toEqual({
      history: [0, 1, 2].map((asset) => [asset, at(0), 'Dock']),
      positions: [0, 1, 2].map((asset) => [asset, at(0), 'Dock', at(0)]),
      events: [0, 1, 2].map((asset) => [asset, at(0), null, 'Dock']),
      deliveryIds: 3,
    })
  },
)
