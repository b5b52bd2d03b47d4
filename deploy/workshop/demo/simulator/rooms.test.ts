import { expect, test } from 'vitest'
import { NOT_READ } from '../../../../services/tracking/src/positions/cause.ts'
import { minuteOf, type Observation } from '../../../../services/tracking/src/positions/observation.ts'
import { DEFAULT_RULES, type PlacementRules } from '../../../../services/tracking/src/positions/rules.ts'
import { Simulation } from '../../../../services/tracking/src/positions/simulation.ts'
import { GATE_READER, ROOM_GATEWAYS, warehousePlan } from '../warehouse.ts'
import type { Sighting } from './device.ts'
import { createGate } from './gate.ts'
import { seededRandom } from './random.ts'
import { createRooms, tagOf } from './rooms.ts'

const plan = warehousePlan()
const tools = plan.assets.filter(({ kind }) => kind === 'tool')
const trailers = plan.assets.filter(({ kind }) => kind === 'trailer')
const START = Date.parse('2026-03-01T10:00:10.000Z')
const STEP_MS = 250
/** Until the end of a minute, so that no passage is cut. */
const HOUR = 3_590
const SEEDS = [1, 2, 3]
const PROPOSED = { ...DEFAULT_RULES, marginDb: 6, exitDelaySeconds: 120 }
const CARRY: PlacementRules = { ...DEFAULT_RULES, passages: 'carry' }

/** Distinct for each antenna. */
const PLACES = [...ROOM_GATEWAYS, `${GATE_READER} 1`, `${GATE_READER} 2`]
const placeOf = (readerKey: string, antenna: number) =>
  1 + PLACES.findIndex((place) => place === readerKey || place === `${readerKey} ${antenna}`)

type Part = { advance(now: Date): Map<string, Sighting[]> }

/** Lets a part of the warehouse run, and the rules of positions decide. `truth` is asked at each step. */
function run(part: Part, rules: PlacementRules, { seconds = HOUR, truth = (_nowMs: number) => {} } = {}) {
  const simulation = new Simulation(rules)
  const moves: { key: string; place: number; atMs: number }[] = []
  const messages: { key: string; sightings: Sighting[] }[] = []
  for (let nowMs = START; nowMs < START + seconds * 1000; nowMs += STEP_MS) {
    for (const [key, sightings] of part.advance(new Date(nowMs))) {
      if (sightings.length === 0) continue
      messages.push({ key, sightings })
      const reads = sightings.map((sighting) => observation(key, sighting))
      for (const { to, atMs } of simulation.take(reads, nowMs))
        moves.push({ key: plan.assets[to.assetId]?.key ?? '', place: to.locationId, atMs })
    }
    truth(nowMs)
  }
  const placeNow = (key: string) =>
    simulation.positionOf(plan.assets.findIndex((asset) => asset.key === key))?.locationId
  return { moves, messages, placeNow }
}

function observation(readerKey: string, { antenna, tag, rssiDbm, seenAt }: Sighting): Observation {
  const observedAtMs = seenAt.getTime()
  return {
    ...NOT_READ,
    orgId: 1,
    assetId: plan.assets.findIndex((asset) => asset.kind !== 'forklift' && tagOf(asset).value === tag.value),
    minute: minuteOf(observedAtMs),
    observedAtMs,
    locationId: placeOf(readerKey, antenna),
    rssi: Math.round(rssiDbm),
    isJudged: tag.type === 'ble',
  }
}

/** The first read of all names any room. By then, the next ones have corrected it. */
const SETTLED_MS = 90_000

/** How often each case changed its room in truth and by the rules. */
function changesOfTools(rules: PlacementRules, seed: number) {
  const rooms = createRooms(plan, seededRandom(seed))
  let before = new Map<string, string>()
  const walks = new Map(tools.map(({ key }) => [key, 0]))
  const truth = () => {
    const now = new Map(tools.map((tool) => [tool.key, rooms.whereIs(tool)]))
    for (const [key, room] of now)
      if ((before.get(key) ?? room) !== room) walks.set(key, (walks.get(key) ?? 0) + 1)
    before = now
  }
  const { moves, placeNow } = run(rooms, rules, { truth })
  return tools.map((tool) => ({
    walks: walks.get(tool.key) ?? 0,
    moves: moves.filter(({ key, atMs }) => key === tool.key && atMs > START + SETTLED_MS).length,
    isRight: placeNow(tool.key) === placeOf(rooms.whereIs(tool), 1),
  }))
}

test.for(SEEDS)('without rules, a case at rest changes its room many times an hour (seed %i)', (seed) => {
  const resting = changesOfTools(DEFAULT_RULES, seed).filter(({ walks }) => walks === 0)
  expect(resting).toHaveLength(6)
  for (const { moves } of resting) expect(moves).toBeGreaterThan(10)
})

test.for(SEEDS)(
  'with 6 dB and 120 s, a case at rest stays, and one that is carried arrives (seed %i)',
  (seed) => {
    const changes = changesOfTools(PROPOSED, seed)
    const [walking, resting] = [
      changes.filter(({ walks }) => walks > 0),
      changes.filter(({ walks }) => walks === 0),
    ]
    expect(resting).toHaveLength(6)
    expect(resting.filter(({ moves }) => moves > 0)).toEqual([])
    expect(walking).toHaveLength(2)
    expect(changes.filter(({ isRight }) => !isRight)).toEqual([])
    for (const { moves, walks } of walking) expect(moves).toBe(walks)
  },
)

test('within five minutes without rules, most cases have changed their room', () => {
  const { moves } = run(createRooms(plan, seededRandom(1)), DEFAULT_RULES, { seconds: 300 })
  const changed = new Set(moves.filter(({ atMs }) => atMs > START + 60_000).map(({ key }) => key))
  expect(changed.size).toBeGreaterThanOrEqual(5)
})

test('each gateway hears the beacons of both rooms, in a few messages a minute', () => {
  const { messages } = run(createRooms(plan, seededRandom(1)), DEFAULT_RULES, { seconds: 600 })
  for (const gateway of ROOM_GATEWAYS) {
    const own = messages.filter(({ key }) => key === gateway)
    expect(own.length).toBeGreaterThan(80)
    expect(own.length).toBeLessThan(160)
    expect(new Set(own.flatMap(({ sightings }) => sightings.map(({ tag }) => tag.value))).size).toBe(8)
  }
})

test.for(SEEDS)(
  'each passage of the gate is one minute, one antenna then the other, then nothing (seed %i)',
  (seed) => {
    const { messages } = run(createGate(plan, seededRandom(seed)), DEFAULT_RULES)
    const passages = Map.groupBy(
      messages.flatMap(({ sightings }) => sightings),
      ({ seenAt }) => minuteOf(seenAt.getTime()),
    )
    expect(passages.size).toBeGreaterThanOrEqual(30)
    const minutes = [...passages.keys()]
    expect(new Set(minutes.slice(1).map((minute, index) => minute - (minutes[index] ?? 0)))).toEqual(
      new Set([2]),
    )
    for (const reads of passages.values()) {
      expect(new Set(reads.map(({ tag }) => tag.value)).size).toBe(1)
      const antennas = reads.map(({ antenna }) => antenna)
      const [first, last] = [antennas.at(0), antennas.at(-1)]
      expect((first ?? 0) + (last ?? 0)).toBe(3) // both
      expect(antennas.lastIndexOf(first ?? 0)).toBeLessThan(antennas.indexOf(last ?? 0))
    }
  },
)

test.for(SEEDS)(
  'after a passage the wrong side is shown, and the right one if passages are carried (seed %i)',
  (seed) => {
    for (const [rules, isRight] of [
      [DEFAULT_RULES, false],
      [CARRY, true],
    ] as const) {
      // oxfmt-ignore
      const gate = createGate(plan, seededRandom(seed))
      const { placeNow } = run(gate, rules)
      const shown = trailers.map(
        (trailer) => placeNow(trailer.key) === placeOf(GATE_READER, gate.sideOf(trailer)),
      )
      expect(shown).toEqual(trailers.map(() => isRight))
    }
  },
)
