import { fc } from '@whereabouts/testing/fuzz'

/** Small numbers, so that operations meet often: two assets with three tags each, three antennas, three locations. */
export const ASSETS = 2
const TAGS = 3
export const ANTENNAS = 3
export const PLACES = 3
const MINUTES = 5

/**
 * Antenna 0 is unassigned. A scan point changes `after` milliseconds after the change before; reads may be from before a
 * change that is known. `names`: the location whose key the message has; `PLACES` is a key of none.
 */
export type ChosenRead = { asset: number; tag: number; antenna: number; names: number | null; at: number }
export type Choice =
  | { do: 'read'; messages: ChosenRead[][]; isOtherReplica: boolean }
  | { do: 'save'; assets: number[]; place: number; at: number }
  | { do: 'assign'; antenna: number; place: number | null; after: number }
  | { do: 'replace'; antenna: number; place: number | null; after: number }
  | { do: 'rename'; place: number }

const below = (n: number) => fc.nat({ max: n - 1 })
const instant = below(MINUTES * 60).map((second) => second * 1_000)
const antenna = below(ANTENNAS).map((n) => n + 1)
const place = below(PLACES)
const placeOrNone = fc.option(place, { freq: 2 })

const read: fc.Arbitrary<ChosenRead> = fc.record({
  asset: below(ASSETS),
  tag: below(TAGS),
  antenna: below(ANTENNAS + 1),
  names: fc.option(below(PLACES + 1), { freq: 2 }),
  at: instant,
})
const reading: fc.Arbitrary<Choice> = fc.record({
  do: fc.constant('read'),
  messages: fc.array(fc.array(read, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
  isOtherReplica: fc.boolean(),
})
const save: fc.Arbitrary<Choice> = fc.record({
  do: fc.constant('save'),
  assets: fc.uniqueArray(below(ASSETS), { minLength: 1 }),
  place,
  at: instant,
})
const assignment: fc.Arbitrary<Choice> = fc.record({
  do: fc.constantFrom('assign', 'replace'),
  antenna,
  place: placeOrNone,
  after: below(120).map((second) => (second + 1) * 1_000),
})
const renaming: fc.Arbitrary<Choice> = fc.record({ do: fc.constant('rename'), place })

export const choices: fc.Arbitrary<Choice[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: reading },
    { weight: 2, arbitrary: save },
    { weight: 6, arbitrary: assignment },
    { weight: 1, arbitrary: renaming },
  ),
  { minLength: 6, maxLength: 16, size: 'max' },
)
