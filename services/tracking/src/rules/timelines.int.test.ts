import { describe, expect } from 'vitest'
import { Killed, Play } from '../../test/rules/play.ts'
import { timelines } from '../../test/rules/timelines.ts'
import { test } from '../../test/tracking.fixture.ts'

let org = 1
const nextOrg = () => (org += 1)

/** Ends each transaction once, and lets it pass then. */
function everySecond(): () => void {
  let n = 0
  return () => {
    n += 1
    if (n % 2 === 1) throw new Killed('before the commit')
  }
}

describe('D14 rules on timelines', () => {
  test.for(timelines)('D14.3 $name', async (timeline, { tracking }) => {
    const ways = {
      'one replica, whose clock turns': { replicas: 1, turnsBetween: true },
      'two replicas, whose clock was away': { replicas: 2, turnsBetween: false },
      'two replicas that die before each commit': {
        replicas: 2,
        turnsBetween: true,
        beforeCommit: everySecond(),
      },
    }
    const alerts: Record<string, unknown> = {}
    for (const [name, way] of Object.entries(ways)) {
      const play = new Play(tracking, timeline, way, nextOrg())
      alerts[name] = await play.run()
      alerts[`${name}: the preview afterwards`] = await play.past()
    }
    expect(alerts).toEqual(
      Object.fromEntries(
        Object.keys(ways).flatMap((name) => [
          [name, timeline.alerts],
          [`${name}: the preview afterwards`, timeline.past ?? timeline.alerts],
        ]),
      ),
    )
  })
})
