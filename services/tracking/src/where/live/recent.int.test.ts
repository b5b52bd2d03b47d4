import { describe, expect } from 'vitest'
import { numbersOf, publishMoves, range, test } from '../../../test/live/live.fixture.ts'

const [ORG, OTHER] = [7, 8]
const sum = (steps: readonly { moves: number }[]) => steps.reduce((all, { moves }) => all + moves, 0)

describe('D10 the movements of the last minutes', () => {
  test('are those of the organization, newest first, and the stream continues after them', async ({
    bus,
    replica,
  }) => {
    const { recent, open } = await replica()
    expect(await recent(ORG)).toMatchObject({ steps: [], movements: [] })
    await publishMoves(bus.broker, ORG, [1, 2])
    await publishMoves(bus.broker, OTHER, [3])
    await publishMoves(bus.broker, ORG, [4])
    const { from, to, last_event_id, steps, movements } = await recent(ORG)
    expect(sum(steps)).toBe(3)
    expect(movements.map(({ asset }) => asset.id)).toEqual([4, 2, 1])
    expect(JSON.stringify(movements)).not.toMatch(/org_id|kind/)
    // The stream of this test was created just now: it has nothing from before.
    expect(Date.parse(to) - Date.parse(from)).toBeLessThan(60_000)

    const stream = await open(ORG, last_event_id)
    await publishMoves(bus.broker, ORG, [5])
    expect(numbersOf(await stream.next(1))).toEqual([5])
    expect(sum((await recent(OTHER)).steps)).toBe(1)
  })

  test('say since when they count if there are too many', async ({ bus, replica }) => {
    const { recent } = await replica()
    for (let n = 0; n <= 2_000; n += 500) await publishMoves(bus.broker, ORG, range(n, 500))
    const { from, to, steps, movements } = await recent(ORG)
    expect(Date.parse(to) - Date.parse(from)).toBeLessThan(60_000)
    // Either the current step is complete, or nothing is counted.
    expect(sum(steps)).toBeLessThanOrEqual(2_000)
    expect(movements.length).toBeLessThanOrEqual(200)
  })

  test('are read in turn: many requests of one organization leave reads to others', async ({ replica }) => {
    const { live } = await replica()
    let answers = 0
    const flood = Array.from({ length: 50 }, () => live.recent(ORG).then(() => (answers += 1)))
    await live.recent(OTHER)
    expect(answers).toBeLessThan(25) // first come, first served, it would be 42 at least
    await Promise.all(flood)
  })
})
