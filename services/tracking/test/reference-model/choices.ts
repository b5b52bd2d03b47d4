import fc from 'fast-check'
import { DEFAULT_RULES, type PlacementRules } from '../../src/positions/rules.ts'

/** Small numbers, so that operations meet often: four assets, three locations, eight minutes, three replicas. */
export const ASSETS = 4
export const PLACES = 3
export const REPLICAS = 3
const MINUTES = 8

/** Antenna 0 is unassigned. Antenna n is at location n - 1. */
export type ChosenRead = {
  asset: number
  antenna: number
  at: number
  rssi: number | null
  /** Of a type of tag whose strength counts. */
  isJudged: boolean
}
/** A message, or the redelivery of a handled one. */
type ChosenMessage = { reads: ChosenRead[] } | { again: number }
type Batch = { do: 'batch'; replica: number; messages: ChosenMessage[] }
export type ChosenSave = { do: 'save'; replica: number; assets: number[]; place: number; at: number }
export type Writing = Batch | ChosenSave
export type Choice =
  | Writing
  | { do: 'together'; writings: Writing[] }
  | { do: 'delete'; what: 'asset' | 'place'; which: number }
  | { do: 'hear'; replica: number }
  | { do: 'carry'; replicas: number[] }

const below = (n: number) => fc.nat({ max: n - 1 })
/** Often a whole second, so that some instants are equal. */
const instant = fc
  .tuple(below(MINUTES * 60), fc.constantFrom(0, 0, 1, 999))
  .map(([second, ms]) => second * 1_000 + ms)

const read: fc.Arbitrary<ChosenRead> = fc.record({
  asset: below(ASSETS),
  antenna: below(PLACES + 1),
  at: instant,
  rssi: fc.constantFrom(null, -40, -45, -50, -60, -90),
  isJudged: fc.constantFrom(true, true, true, false),
})
const message: fc.Arbitrary<ChosenMessage> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ reads: fc.array(read, { minLength: 1, maxLength: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ again: fc.nat() }) },
)
const batch: fc.Arbitrary<Writing> = fc.record({
  do: fc.constant('batch'),
  replica: below(REPLICAS),
  messages: fc.array(message, { minLength: 1, maxLength: 4 }),
})
const save: fc.Arbitrary<Writing> = fc.record({
  do: fc.constant('save'),
  replica: below(REPLICAS),
  assets: fc.array(below(ASSETS), { minLength: 1, maxLength: ASSETS }),
  place: below(PLACES),
  at: instant,
})
const writing = fc.oneof({ weight: 3, arbitrary: batch }, { weight: 2, arbitrary: save })
const together: fc.Arbitrary<Choice> = fc.record({
  do: fc.constant('together'),
  writings: fc.array(writing, { minLength: 2, maxLength: 3 }),
})
const deletion: fc.Arbitrary<Choice> = fc.record({
  do: fc.constant('delete'),
  what: fc.constantFrom('asset', 'place'),
  which: below(PLACES),
})
const hearing: fc.Arbitrary<Choice> = fc.record({ do: fc.constant('hear'), replica: below(REPLICAS) })

/** Any of several replicas at once. */
const carrying: fc.Arbitrary<Choice> = fc.record({
  do: fc.constant('carry'),
  replicas: fc.uniqueArray(below(REPLICAS), { minLength: 1 }),
})

export const rules: fc.Arbitrary<PlacementRules> = fc
  .record({
    passages: fc.constantFrom('next_observation', 'carry'),
    marginDb: fc.constantFrom(0, 0, 5, 10),
    exitDelaySeconds: fc.constantFrom(0, 0, 90),
  })
  .map((chosen) => Object.assign({}, DEFAULT_RULES, chosen, { tagTypes: ['rfid'] }))

export const choices: fc.Arbitrary<Choice[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: writing },
    { weight: 5, arbitrary: together },
    { weight: 1, arbitrary: deletion },
    { weight: 1, arbitrary: hearing },
    { weight: 3, arbitrary: carrying },
  ),
  { minLength: 1, maxLength: 25, size: 'max' },
)
