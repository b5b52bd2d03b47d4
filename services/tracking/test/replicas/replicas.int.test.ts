import { expect, onTestFinished, test } from 'vitest'
import { startReplica } from './replica.fixture.ts'
import { startStage, type Seen, type Site, type Stage } from './stage.fixture.ts'

const ASSETS = 20
const MINUTES = 6
const COPIES = 6
const MINUTE = 60_000
const T0 = Math.floor(Date.now() / MINUTE) * MINUTE - 10 * MINUTE

/**
 * The location of an asset in a minute: some stay, some move, some lose it. Not random, so that two organizations get
 * the same.
 */
const antennaOf = (asset: number, minute: number) => (((asset % 7) * minute + asset) % 3) + 1

/**
 * Minute by minute, every asset several times, in messages of different assets. A minute ends once all of it is
 * handled, because late rows depend on which replica is faster.
 */
async function readAll(stage: Stage, site: Site): Promise<void> {
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const seen = Array.from({ length: ASSETS }, (_, asset): Seen => {
      const antenna = antennaOf(asset, minute)
      return { asset, antenna, at: T0 + minute * MINUTE + asset }
    })
    const copies = Array.from({ length: COPIES }, (_, copy) => [
      ...seen.slice(copy * 3),
      ...seen.slice(0, copy * 3),
    ])
    const messages = copies.flatMap((reads) => [reads.slice(0, 11), reads.slice(11, 14), reads.slice(14)])
    await Promise.all(messages.map((reads) => stage.send(site, reads)))
    await stage.settled()
  }
}

test('two replicas on one stream have the same result as one', { timeout: 120_000 }, async () => {
  const stage = await startStage()
  onTestFinished(() => stage.stop())
  const handled = [0, 0]
  const count = (replica: number) => ({
    metrics: { handled: (_: string, n: number) => void (handled[replica] = (handled[replica] ?? 0) + n) },
  })
  const [alone, shared] = [await stage.open(1, ASSETS), await stage.open(2, ASSETS)]
  const first = await startReplica({ ...stage.replica, ...count(0) })
  await readAll(stage, alone)
  handled[0] = 0
  const second = await startReplica({ ...stage.replica, ...count(1) })
  await readAll(stage, shared)
  await Promise.all([first.stop(), second.stop()])

  const wanted = await stage.outcome(alone)
  expect(wanted.history).toHaveLength(ASSETS * MINUTES)
  expect(wanted.events.length).toBeGreaterThan(ASSETS)
  expect(await stage.outcome(shared)).toEqual(wanted)
  expect(Math.min(...handled), 'both had a part in it').toBeGreaterThan(MINUTES)
})
