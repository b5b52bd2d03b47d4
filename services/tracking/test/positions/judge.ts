import { minuteOf, type Observation } from '../../src/positions/observation.ts'
import { NOT_READ } from '../../src/positions/cause.ts'
import type { PlacementRules } from '../../src/positions/rules.ts'
import { Simulation } from '../../src/positions/simulation.ts'
import { stayAt, type Beacon } from './rooms.ts'

/** How well rules name the rooms of a beacon. Delays in seconds, from the walk to the announcement. */
export type Score = {
  minutes: number
  wrongMinutes: number
  movements: number
  walks: number
  missedWalks: number
  delays: number[]
}

/** Any whole minute: the simulation has no clock. */
const ZERO_MS = Date.UTC(2026, 0, 1)

/** The first read of all places a beacon anywhere. By then, the next minute has corrected it. */
const SETTLED_SECONDS = 90

/** Location 0 would be none, so locations are numbered from 1. */
const placeOf = (room: number) => room + 1

const observation = (second: number, room: number, rssi: number): Observation => {
  const observedAtMs = Math.round(ZERO_MS + second * 1_000)
  const cause = { ...NOT_READ, readerKey: `gateway ${room}`, antenna: 1 }
  return { orgId: 1, assetId: 1, minute: minuteOf(observedAtMs), observedAtMs, locationId: placeOf(room), rssi, isJudged: true, ...cause }
} // oxfmt-ignore

/** Runs the rules of the service over what was heard, and compares with the truth. */
export function judge({ stays, reads }: Beacon, seconds: number, rules: PlacementRules): Score {
  const simulation = new Simulation(rules)
  const moves = reads.flatMap(({ second, room, rssi }) =>
    simulation.take([observation(second, room, rssi)], ZERO_MS + second * 1_000),
  )
  const announced = moves.map(({ atMs, to }) => ({ second: (atMs - ZERO_MS) / 1_000, place: to.locationId }))
  const settled = announced.filter(({ second }) => second >= SETTLED_SECONDS)
  const placeAt = (second: number) => announced.findLast((move) => move.second <= second)?.place
  let [minutes, wrongMinutes] = [0, 0]
  for (let second = SETTLED_SECONDS; second < seconds; second += 60) {
    minutes += 1
    if (placeAt(second) !== placeOf(stayAt(stays, second)?.room ?? -1)) wrongMinutes += 1
  }
  const score: Score = {
    minutes,
    wrongMinutes,
    movements: settled.length,
    walks: 0,
    missedWalks: 0,
    delays: [],
  }
  for (const [i, stay] of stays.entries()) {
    const before = stays[i - 1]
    if (!before || before.room === stay.room) continue
    score.walks += 1
    const next = stays.slice(i + 1).find(({ room }) => room !== stay.room)
    const came = announced.find(
      ({ second, place }) =>
        place === placeOf(stay.room) &&
        second >= stay.fromSecond &&
        second < (next?.fromSecond ?? seconds) + 60,
    )
    if (came) score.delays.push(came.second - stay.fromSecond)
    else if (placeAt(stay.fromSecond) !== placeOf(stay.room)) score.missedWalks += 1
  }
  return score
}

export function sum(scores: readonly Score[]): Score {
  const total = (of: (score: Score) => number) => scores.reduce((all, score) => all + of(score), 0)
  return {
    minutes: total(({ minutes }) => minutes),
    wrongMinutes: total(({ wrongMinutes }) => wrongMinutes),
    movements: total(({ movements }) => movements),
    walks: total(({ walks }) => walks),
    missedWalks: total(({ missedWalks }) => missedWalks),
    delays: scores.flatMap(({ delays }) => delays),
  }
}
