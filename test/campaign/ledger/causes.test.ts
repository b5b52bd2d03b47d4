import { expect, test } from 'vitest'
import { checkCauses, recoveryTimes, type Failure, type RanFault } from './causes.ts'

const fault = (changes: Partial<RanFault>): RanFault => ({
  index: 0,
  atMs: 0,
  kind: 'kill',
  target: 'catalog-1',
  durationMs: 1_000,
  amount: 0,
  startedAtMs: 100_000,
  endedAtMs: 103_000,
  ...changes,
})
const failure = (changes: Partial<Failure> = {}): Failure => ({
  what: 'list assets: 503',
  startedAtMs: 101_000,
  endedAtMs: 102_000,
  needs: ['gateway', 'postgres', 'catalog'],
  ...changes,
})
const isExplained = (by: Partial<RanFault>, changes?: Partial<Failure>) =>
  checkCauses([failure(changes)], [fault(by)]).length === 0

test.for<[string, Partial<RanFault>, boolean]>([
  ['the other replica of the service', { target: 'catalog-2' }, true],
  ['another service', { target: 'tracking-1' }, false],
  ['a gateway', { target: 'gateway-2' }, true],
  ['the database', { target: 'postgres', kind: 'database-crash' }, true],
  ['the broker, which the request does not need', { target: 'broker', kind: 'broker-kill' }, false],
  ['the connection of a gateway to the service', { target: 'gateway-1>catalog', kind: 'cut' }, true],
  ['the connection of the service to the database', { target: 'catalog-2>postgres', kind: 'cut' }, true],
  ['the connection of another service to the database', { target: 'keys-2>postgres', kind: 'cut' }, false],
  ['the connection of the service to the broker', { target: 'catalog-2>broker', kind: 'cut' }, false],
  ['the connection to a receiver', { target: 'webhook-dispatcher>receiver-1', kind: 'cut-receiver' }, false],
  ['the connection of the clients', { target: 'clients>gateway', kind: 'cut' }, true],
])('%s as a cause', ([, by, want]) => expect(isExplained(by)).toBe(want))

test('a request that needs the broker fails because of it', () => {
  const needs = ['gateway', 'postgres', 'tracking', 'catalog', 'broker'] as const
  expect(isExplained({ target: 'tracking-1>broker', kind: 'silence' }, { needs })).toBe(true)
})

test('without broker and keys together no request is expected to work, because the gateway asks keys instead', () => {
  const broker = fault({ target: 'gateway-1>broker', kind: 'cut' })
  const keys = fault({ target: 'keys-1', kind: 'freeze' })
  expect(checkCauses([failure()], [broker])).toHaveLength(1)
  expect(checkCauses([failure()], [keys])).toHaveLength(1)
  expect(checkCauses([failure()], [broker, keys])).toEqual([])
})

test('a failure before the fault, or long after it, needs another cause', () => {
  expect(isExplained({}, { startedAtMs: 90_000, endedAtMs: 95_000 })).toBe(false)
  expect(isExplained({}, { startedAtMs: 107_000, endedAtMs: 108_000 })).toBe(true)
  expect(isExplained({}, { startedAtMs: 110_000, endedAtMs: 111_000 })).toBe(false)
})

test('the recovery time is the end of the last failure after the end of the fault', () => {
  const failures = [failure(), failure({ startedAtMs: 104_000, endedAtMs: 105_500 })]
  const frozen = fault({ kind: 'freeze', target: 'keys-1' })
  expect([...recoveryTimes(failures, [fault({}), frozen])]).toEqual([['kill', 2_500], ['freeze', 0]]) // oxfmt-ignore
})
