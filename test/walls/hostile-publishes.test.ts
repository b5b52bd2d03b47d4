import { fc, limits, SEED, timeLimit } from '@whereabouts/testing/fuzz'
import { expect, inject } from 'vitest'
import { recordState, test } from './support/walls.fixture.ts'
import { hostileMessage } from './support/hostile-messages.ts'
import { listenedTo, repliesTo } from './support/reply-table.ts'
import type { RawNats } from './support/raw-nats.ts'

const { numRuns: PUBLISHES } = limits(10_000)
/** One key may send 2 000 messages at once before its rate is limited. */
const KEYS = Math.ceil(PUBLISHES / 2_000)
const TOGETHER = 100

/** Sends them in batches. If the broker ends the connection, one batch is lost, and another connection opens. */
async function sendAll(
  messages: Parameters<RawNats['publish']>,
  open: () => Promise<RawNats>,
): Promise<number> {
  let [raw, ended] = [await open(), 0]
  for (let at = 0; at < messages.length; at += TOGETHER) {
    raw.publish(...messages.slice(at, at + TOGETHER))
    try {
      await raw.flush()
    } catch {
      ended += 1
      raw = await open()
    }
  }
  return ended
}

test(
  `S1 ${PUBLISHES} random hostile publishes (WB_SEED=${SEED}) change nothing of another organization`,
  { timeout: timeLimit(180_000) },
  async ({ api, attacker, victim, watcher, rows, reader, unchanged, sameView }) => {
    const keys = await Promise.all(
      Array.from({ length: KEYS }, () => attacker.org.key({ scopes: ['scans:write'] })),
    )
    const before = await recordState({ api, watcher, rows, victim })
    const replies = [
      ...before.streams.flatMap((stream) => repliesTo(stream, victim)),
      ...(await listenedTo()),
    ]
    const messages = fc.sample(hostileMessage({ mine: attacker, theirs: victim, replies }), {
      numRuns: PUBLISHES,
      seed: SEED,
    })
    expect(messages).toHaveLength(PUBLISHES)
    const share = Math.ceil(PUBLISHES / KEYS)
    const ended = await Promise.all(
      keys.map((key, i) => sendAll(messages.slice(i * share, (i + 1) * share), () => reader(key))),
    )
    // A closed connection loses at most one batch, so most publishes were read.
    expect(ended.reduce((sum, count) => sum + count, 0)).toBeLessThan(PUBLISHES / TOGETHER / 10)
    await unchanged(before)
    await sameView(before)
    expect(inject('streams').toSorted()).toEqual(before.streams.map(({ name }) => name).toSorted())
  },
)
