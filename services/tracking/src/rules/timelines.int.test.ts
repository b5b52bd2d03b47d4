import { SEED } from '@whereabouts/testing/fuzz'
import { describe, expect } from 'vitest'
import { Killed, Play } from '../../test/rules/play.ts'
import { timelines } from '../../test/rules/timelines.ts'
import { test } from '../../test/tracking.fixture.ts'

let org = 1
const nextOrg = () => (org += 1)

/** Ends about every third transaction, by a fixed sequence. */
function killer(): () => void {
  let state = SEED
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    if (state % 1_000 < 350) throw new Killed('before the commit')
  }
}

const AWAY = 'two replicas, whose clock was away'

describe('rules on timelines', () => {
  test.for(timelines)('D14.3 $name', async (timeline, { tracking }) => {
    const ways = {
      'one replica, whose clock turns': { replicas: 1, turnsBetween: true },
      [AWAY]: { replicas: 2, turnsBetween: false },
      'two replicas that die before each commit': {
        replicas: 2,
        turnsBetween: true,
        beforeCommit: killer(),
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
          [name, (name === AWAY ? timeline.away : undefined) ?? timeline.alerts],
          [`${name}: the preview afterwards`, timeline.past ?? timeline.alerts],
        ]),
      ),
    )
  })

  test.for(timelines.slice(0, 3))(
    'D14.4 a preview of $name ends once its time is over',
    async (timeline, { tracking }) => {
      const play = new Play(tracking, timeline, { replicas: 1, turnsBetween: true }, nextOrg())
      await play.run()
      await expect(play.past(AbortSignal.abort(new Error('over')))).rejects.toThrow('over')
    },
  )
})
