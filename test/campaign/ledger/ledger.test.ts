import { describe, expect, test } from 'vitest'
import { AssetLedger, type Delivery, type Movement, type OrgFacts, type OrgLedger } from './ledger.ts'
import { checkMovements } from './movements.ts'
import { checkScans } from './scans.ts'

const START = Date.parse('2026-11-24T10:00:00.000Z')
const at = (minute: number, second = 5) => START + minute * 60_000 + second * 1_000
const MINUTE = START / 60_000
const [DOCK, SHELF, GATE] = [11, 12, 13]

const body = (assetId: number, text = '') => JSON.stringify({ data: { asset: { id: assetId } }, text })
const delivery = (deliveryId: string, changes: Partial<Delivery> = {}): Delivery => ({
  atMs: at(0),
  deliveryId,
  body: body(1),
  orgId: 5,
  hasValidSignature: true,
  status: 204,
  ...changes,
})
const movement = (deliveryId: string, minute: number, fromId: number | null, toId: number): Movement => ({
  deliveryId,
  assetId: 1,
  occurredAtMs: at(minute),
  fromId,
  toId,
})

/** One asset that was read at the dock, then twice at the shelf, and is saved at the gate. Everything is in order. */
function scene(): { ledger: OrgLedger; asset: AssetLedger; facts: OrgFacts } {
  const asset = new AssetLedger(1, 'BOX')
  asset.read(MINUTE, DOCK, true)
  asset.read(MINUTE + 1, SHELF, true)
  asset.read(MINUTE + 2, SHELF, false)
  asset.saves.push({ locationId: GATE, sentAtMs: at(3), endedAtMs: at(3, 6), savedAtMs: at(3) })
  const history = [
    { observedAtMs: at(0), locationId: DOCK },
    { observedAtMs: at(1), locationId: SHELF },
    { observedAtMs: at(3), locationId: GATE },
  ]
  return {
    asset,
    ledger: { id: 5, assets: new Map([[1, asset]]) },
    facts: {
      history: new Map([[1, history]]),
      report: new Map([[1, { observedAtMs: at(3), locationId: GATE }]]),
      movements: [movement('a', 0, null, DOCK), movement('b', 1, DOCK, SHELF), movement('c', 3, SHELF, GATE)],
      deliveries: [delivery('a'), delivery('b'), delivery('b'), delivery('c')],
    },
  }
}
type Scene = ReturnType<typeof scene>

const findingsOf = ({ ledger, facts }: Scene, cuts: Parameters<typeof checkMovements>[2] = []) =>
  [...checkScans(ledger, facts), ...checkMovements(ledger, facts, cuts)].map(({ kind }) => kind)

const withHistory =
  (change: (rows: { observedAtMs: number; locationId: number | null }[]) => object[]) => () => {
    const { facts, ...rest } = scene()
    const rows = change([...(facts.history.get(1) ?? [])]) as {
      observedAtMs: number
      locationId: number | null
    }[]
    return { ...rest, facts: { ...facts, history: new Map([[1, rows]]) } }
  }
const withMovements = (change: (movements: readonly Movement[]) => Movement[]) => () => {
  const { facts, ...rest } = scene()
  return { ...rest, facts: { ...facts, movements: change(facts.movements) } }
}
const withDeliveries = (change: (deliveries: readonly Delivery[]) => Delivery[]) => () => {
  const { facts, ...rest } = scene()
  return { ...rest, facts: { ...facts, deliveries: change(facts.deliveries) } }
}

describe('the ledger finds nothing', () => {
  test.for<[string, () => Scene]>([
    ['when everything is in order; the same delivery may come twice', scene],
    [
      'when a read without an acknowledgement is stored after all',
      withHistory((rows) => [...rows, { observedAtMs: at(2), locationId: SHELF }]),
    ],
    [
      'when a receiver failed three times',
      withDeliveries((all) => [
        ...all.filter((d) => d.deliveryId !== 'c'),
        ...[1, 2, 3].map(() => delivery('c', { status: 500 })),
      ]),
    ],
  ])('%s', ([, make]) => expect(findingsOf(make())).toEqual([]))

  test('when a receiver failed once and its connection was then cut', () => {
    const make = withDeliveries((all) => [
      ...all.filter((d) => d.deliveryId !== 'c'),
      delivery('c', { status: 500 }),
    ])
    expect(findingsOf(make(), [{ orgId: 5, startedAtMs: at(0, 8), endedAtMs: at(0, 12) }])).toEqual([])
  })
})

describe('the ledger finds', () => {
  test.for<[string, () => Scene, string[]]>([
    ['a lost read', withHistory((rows) => rows.slice(1)), ['read lost']],
    ['a lost save', withHistory((rows) => rows.with(2, { observedAtMs: at(3), locationId: SHELF })), ['save lost', 'row without a cause', 'report differs from history']],
    ['a row that nobody sent', withHistory((rows) => [{ observedAtMs: at(-9), locationId: DOCK }, ...rows]), ['row without a cause']],
    ['a second row of a minute', withHistory((rows) => [{ observedAtMs: at(0, 7), locationId: DOCK }, ...rows]), ['row twice']],
    ['a movement that is missing in between', withMovements((all) => all.toSpliced(1, 1)), ['movement missing', 'delivery without a movement']],
    ['a missing last movement', withMovements((all) => all.slice(0, 2)), ['last movement missing', 'delivery without a movement']],
    ['the same movement twice', withMovements((all) => [...all, movement('c', 3, SHELF, GATE)]), ['movement twice']],
    ['a movement that nobody got', withDeliveries((all) => all.filter((d) => d.deliveryId !== 'c')), ['movement not delivered']],
    ['a movement that was given up too early', withDeliveries((all) => [...all.slice(0, 3), delivery('c', { status: 500 })]), ['movement given up']],
    ['a wrong signature', withDeliveries((all) => [...all, delivery('a', { hasValidSignature: false })]), ['signature wrong']],
    ['a delivery of another organization', withDeliveries((all) => [...all, delivery('a', { body: body(99) })]), ['delivery of another organization', 'delivery with two bodies']],
    ['one id with two bodies', withDeliveries((all) => [...all, delivery('a', { body: body(1, 'x') })]), ['delivery with two bodies']],
    ['a delivery without a movement', withDeliveries((all) => [...all, delivery('z')]), ['delivery without a movement']],
  ])('%s', ([, make, kinds]) => expect(findingsOf(make())).toEqual(kinds)) // oxfmt-ignore

  test('an asset of another organization in the report', () => {
    const made = scene()
    const report = new Map([...made.facts.report, [99, { observedAtMs: at(0), locationId: DOCK }] as const])
    expect(findingsOf({ ...made, facts: { ...made.facts, report } })).toEqual(['row of another organization'])
  })
})
