import { expect, test } from 'vitest'
import { MetadataMatches, type FollowAssets } from './metadata-matches.ts'

type Listener = Parameters<FollowAssets>[1]

/** States that arrive when a test says so. */
function scripted() {
  const readings: { orgId: number; listener: Listener; finish: () => void; isStopped: boolean }[] = []
  const matches = new MetadataMatches((orgId, listener) => {
    const { promise: caughtUp, resolve: finish } = Promise.withResolvers<void>()
    const reading = { orgId, listener, finish, isStopped: false }
    readings.push(reading)
    return { caughtUp, stop: () => (reading.isStopped = true) }
  })
  return { matches, readings }
}

const asset = (id: number, metadata: Record<string, unknown> | undefined, revision = 1, org_id = 1) => ({
  org_id,
  id,
  revision,
  external_key: `A-${id}`,
  name: '',
  valid_from: '2026-01-01T00:00:00Z',
  valid_to: null,
  deleted_at: null,
  type: 'asset',
  home_location_id: null,
  ...(metadata && { metadata }),
})

const NORTH = { team: 'north' }
const found = (
  matches: MetadataMatches,
  condition: Record<string, string | number | boolean> = NORTH,
  org = 1,
) => {
  const ids = matches.find(org, condition)
  return ids && [...ids].toSorted((one, another) => one - another)
}

test.for([
  [{ team: 'north' }, { team: 'north', floor: 2 }, true],
  [{ team: 'north', floor: 2 }, { team: 'north' }, false],
  [{ team: 'north' }, { team: 'North' }, false],
  [{ floor: '2' }, { floor: 2 }, true],
  [{ floor: 2 }, { floor: '2' }, true],
  [{ hot: true }, { hot: 'true' }, true],
  [{ hot: 'null' }, { hot: null }, false],
  [{ team: '[object Object]' }, { team: {} }, false],
  [{ toString: 'x' }, {}, false],
] as const)('D14.8 %j asks, %j answers: %j', async ([condition, metadata, isFound]) => {
  const { matches, readings } = scripted()
  const wanted = matches.want(1, condition)
  readings[0]?.listener.onState(asset(7, metadata))
  readings[0]?.finish()
  await wanted
  expect(found(matches, condition)).toEqual(isFound ? [7] : [])
})

test('nothing is said until all states were read, and changes follow, three times', async () => {
  const { matches, readings } = scripted()
  let ready = 0
  matches.onReady = () => (ready += 1)
  const kept = matches.keep(1, [NORTH])
  readings[0]?.listener.onState(asset(7, NORTH))
  expect([found(matches), matches.isWaiting(1)]).toEqual([undefined, true])
  readings[0]?.finish()
  await kept
  expect([found(matches), matches.isWaiting(1), ready]).toEqual([[7], false, 1])
  for (let round = 1; round <= 3; round += 1) {
    matches.apply(asset(7, {}, 2 * round))
    expect(found(matches)).toEqual([])
    readings[0]?.listener.onState(asset(7, NORTH, 2 * round - 1)) // late
    expect(found(matches)).toEqual([])
    readings[0]?.listener.onState(asset(7, NORTH, 2 * round + 1))
    expect(found(matches)).toEqual([7])
  }
})

test('another condition reads again, and the first one is known meanwhile', async () => {
  const { matches, readings } = scripted()
  const first = matches.keep(1, [NORTH])
  readings[0]?.finish()
  await first
  const both = matches.keep(1, [NORTH, { team: 'south' }])
  matches.apply(asset(7, NORTH))
  expect(found(matches)).toEqual([7])
  expect(matches.isWaiting(1)).toBe(true)
  readings[1]?.listener.onState(asset(7, NORTH))
  readings[1]?.listener.onState(asset(8, { team: 'south' }))
  readings[1]?.finish()
  await both
  expect([found(matches), found(matches, { team: 'south' })]).toEqual([[7], [8]])
  expect(readings.map(({ isStopped }) => isStopped)).toEqual([true, false])
})

test('what nobody asks for any more is not followed', async () => {
  const { matches, readings } = scripted()
  const kept = matches.keep(1, [NORTH])
  readings[0]?.finish()
  await kept
  await matches.keep(1, [])
  expect([readings[0]?.isStopped, found(matches), matches.isWaiting(1)]).toEqual([true, undefined, false])
})

test('two organizations do not see each other', async () => {
  const { matches, readings } = scripted()
  const kept = [matches.keep(1, [NORTH]), matches.keep(2, [NORTH])]
  for (const { orgId, listener, finish } of readings) {
    listener.onState(asset(orgId, NORTH, 1, orgId))
    finish()
  }
  await Promise.all(kept)
  expect([found(matches, NORTH, 1), found(matches, NORTH, 2)]).toEqual([[1], [2]])
})

test('a stream that was made again is read from its start', async () => {
  const { matches, readings } = scripted()
  const kept = matches.keep(1, [NORTH])
  readings[0]?.listener.onState(asset(7, NORTH, 5))
  readings[0]?.finish()
  await kept
  readings[0]?.listener.onReset()
  expect(found(matches)).toEqual([])
  readings[0]?.listener.onState(asset(7, NORTH, 1))
  expect(found(matches)).toEqual([7])
})
