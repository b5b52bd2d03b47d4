import { expect, test } from 'vitest'
import { heardAs, mergeIdentities, replacedOf, turnOf, type Identities } from './reader-identities.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
type Heard = [atMs: number, id: string]

const hear = (all: readonly Heard[], kind: 'address' | 'host_name' = 'host_name') =>
  all.reduce<Identities | null>((before, [at, id]) => mergeIdentities(before, heardAs(kind, id, at)), null)

test('D18.9 one name, and one change, are one device', () => {
  expect([turnOf(hear([[0, 'a'], [MINUTE, 'a']])), replacedOf(hear([[0, 'a'], [MINUTE, 'a']]))]).toEqual([null, null]) // oxfmt-ignore
  const changed = hear([[0, 'a'], [MINUTE, 'b'], [2 * MINUTE, 'b']]) // oxfmt-ignore
  expect([turnOf(changed), replacedOf(changed)]).toEqual([null, { from: 'a', to: 'b', at: MINUTE }])
})

test('a name that comes back within an hour is of a second device', () => {
  expect(turnOf(hear([[0, 'a'], [MINUTE, 'b'], [HOUR, 'a']]))).toEqual({ ids: ['b', 'a'], at: HOUR }) // oxfmt-ignore
  const back = hear([[0, 'a'], [MINUTE, 'b'], [HOUR + 1, 'a']]) // oxfmt-ignore
  expect([turnOf(back), replacedOf(back)]).toEqual([null, { from: 'b', to: 'a', at: HOUR + 1 }])
})

test.for([3, 10, 100])('%i turns, however they are divided among writes', (turns) => {
  const all = Array.from({ length: turns + 1 }, (_, n): Heard => [n * 1_000, n % 2 === 0 ? 'a' : 'b'])
  for (const size of [1, 2, 3, 7, all.length]) {
    let stored: Identities | null = null
    for (let at = 0; at < all.length; at += size)
      stored = mergeIdentities(stored, hear(all.slice(at, at + size)))
    expect({ size, at: turnOf(stored)?.at }).toEqual({ size, at: turns * 1_000 })
  }
})

test('two replicas that hear one device each', () => {
  const first = hear([[0, 'a'], [900, 'a']]) // oxfmt-ignore
  const second = hear([[400, 'b']])
  for (const both of [mergeIdentities(first, second), mergeIdentities(second, first)])
    expect(turnOf(both)).toMatchObject({ at: 900 })
  expect(turnOf(mergeIdentities(hear([[0, 'a']]), hear([[400, 'b']])))).toBeNull()
})

test('a device that is heard on after two replicas heard both takes no further turn', () => {
  const [first, second] = [hear([[24, 'a'], [28, 'a']]), hear([[19, 'b'], [29, 'b']])] // oxfmt-ignore
  for (const both of [mergeIdentities(first, second), mergeIdentities(second, first)]) {
    const later = mergeIdentities(both, hear([[20 * MINUTE, 'b']]))
    expect([turnOf(later)?.at, replacedOf(later)?.to]).toEqual([29, 'b'])
  }
})

test('at one instant, the order of arrival counts', () => {
  expect(turnOf(hear([[0, 'a'], [0, 'b'], [0, 'a']]))).toMatchObject({ ids: ['b', 'a'] }) // oxfmt-ignore
})

test('a device that says its address now and its host name later is one', () => {
  const both = mergeIdentities(hear([[0, 'A1'], [2, 'A1']], 'address'), hear([[1, 'dock'], [3, 'dock']])) // oxfmt-ignore
  expect([turnOf(both), replacedOf(both)]).toEqual([null, null])
})

test('what is kept is bounded', () => {
  const many = hear(Array.from({ length: 500 }, (_, n): Heard => [n, `device ${n}`]))
  expect(many?.host_name?.stays.length).toBeLessThanOrEqual(16)
})
