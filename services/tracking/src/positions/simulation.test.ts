import { expect, test } from 'vitest'
import { NOT_READ } from './cause.ts'
import { minuteOf, type Observation } from './observation.ts'
import { DEFAULT_RULES, type PlacementRules } from './rules.ts'
import { Simulation } from './simulation.ts'

const START = Date.UTC(2026, 0, 1, 10)
const [INSIDE, OUTSIDE] = [1, 2]

function readAt(seconds: number, locationId: number): Observation {
  const observedAtMs = START + seconds * 1_000
  const minute = minuteOf(observedAtMs)
  return { ...NOT_READ, orgId: 1, assetId: 1, minute, observedAtMs, locationId, rssi: null, isJudged: false }
}

test.for<[PlacementRules['passages'], number, number]>([
  ['next_observation', INSIDE, 0],
  ['carry', OUTSIDE, 1],
])('with %s, a passage within a minute ends at place %i', ([passages, place, minutesLater]) => {
  const simulation = new Simulation({ ...DEFAULT_RULES, passages })
  for (const read of [readAt(10, INSIDE), readAt(25, OUTSIDE)]) simulation.take([read], read.observedAtMs)
  expect(simulation.positionOf(1)).toMatchObject({
    locationId: place,
    minute: minuteOf(START) + minutesLater,
  })
})
