import type { OrgState } from '@whereabouts/contracts/messages/keys-state'
import { createLogger } from '@whereabouts/service-kit/logging'
import { describe, expect, test } from 'vitest'
import { Subscriptions, type AskOrg } from './subscriptions.ts'

const state = (revision: number, subscription_ends_at: string | null): OrgState => ({
  org_id: 7,
  revision,
  name: 'Org',
  subscription_ends_at,
})
const ENDS = '2026-11-21T10:00:00.000Z'
const END_MS = Date.parse(ENDS)
const away: AskOrg = () => Promise.reject(new Error('no responders'))

const create = (ask: AskOrg = away) => new Subscriptions(ask, createLogger('test', 'silent'))

test('deliveries stop at the instant the subscription ends', () => {
  const subscriptions = create()
  subscriptions.apply(state(1, ENDS))
  expect(subscriptions.status(7, END_MS - 1)).toBe('active')
  expect(subscriptions.status(7, END_MS)).toBe('lapsed')
})

test('a state that arrives late or twice changes nothing', () => {
  const subscriptions = create()
  subscriptions.apply(state(2, null))
  subscriptions.apply(state(1, ENDS))
  subscriptions.apply(state(2, ENDS))
  expect(subscriptions.status(7, END_MS)).toBe('active')
})

test('an organization not heard of is unknown, whatever is known of others', () => {
  const subscriptions = create()
  subscriptions.apply(state(1, null))
  expect(subscriptions.status(8, END_MS)).toBe('unknown')
  subscriptions.clear()
  expect(subscriptions.status(7, END_MS)).toBe('unknown')
})

test('a malformed state throws and leaves the known one', () => {
  const subscriptions = create()
  subscriptions.apply(state(1, ENDS))
  expect(() => subscriptions.apply(state(2, 'soon'))).toThrow()
  expect(() => subscriptions.apply({ org_id: 7 })).toThrow()
  expect(subscriptions.status(7, END_MS)).toBe('lapsed')
})

describe('in doubt', () => {
  test('an organization is unknown until its next state, or until keys has answered', async () => {
    const subscriptions = create(async () => state(2, ENDS))
    subscriptions.apply(state(1, null))
    subscriptions.markUnreadable(7)
    expect(subscriptions.status(7, END_MS)).toBe('unknown')
    subscriptions.apply(state(1, null)) // published again
    expect(subscriptions.status(7, END_MS)).toBe('active')
    subscriptions.markUnreadable(7)
    expect(await subscriptions.learn(7)).toBe(true)
    expect(subscriptions.status(7, END_MS)).toBe('lapsed')
  })

  test('a doubt that arises during the request to keys stays', async () => {
    const answer = Promise.withResolvers<OrgState>()
    const subscriptions = create(() => answer.promise)
    const learning = subscriptions.learn(7)
    subscriptions.markUnreadable(7)
    answer.resolve(state(1, null))
    expect(await learning).toBe(true)
    expect(subscriptions.status(7, END_MS)).toBe('unknown')
  })
})

test('concurrent callers share one request to keys', async () => {
  let asked = 0
  const subscriptions = create(async () => {
    asked += 1
    return state(1, null)
  })
  expect(await Promise.all([subscriptions.learn(7), subscriptions.learn(7)])).toEqual([true, true])
  expect([asked, subscriptions.status(7, END_MS)]).toEqual([1, 'active'])
})

test('an organization that keys does not know has no subscription; one that it says nothing of stays unknown', async () => {
  const nobody = create(async () => undefined)
  expect(await nobody.learn(7)).toBe(true)
  expect(nobody.status(7, END_MS)).toBe('lapsed')
  const unreachable = create(away)
  expect(await unreachable.learn(7)).toBe(false)
  expect(unreachable.status(7, END_MS)).toBe('unknown')
})
