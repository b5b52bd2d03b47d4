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
const unreachable: AskOrg = () => Promise.reject(new Error('no responders'))

const create = (ask: AskOrg = unreachable) => new Subscriptions(ask, createLogger('test', 'silent'))

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

test('an organization without a state is unknown, even if others are known', () => {
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

describe('with an unreadable newest state', () => {
  test('an organization is unknown until its next state, or until keys has replied', async () => {
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

  test('an organization stays unknown if the unreadable state came during the request to keys', async () => {
    const reply = Promise.withResolvers<OrgState>()
    const subscriptions = create(() => reply.promise)
    const learning = subscriptions.learn(7)
    subscriptions.markUnreadable(7)
    reply.resolve(state(1, null))
    expect(await learning).toBe(true)
    expect(subscriptions.status(7, END_MS)).toBe('unknown')
  })
})

test('concurrent callers share one request to keys', async () => {
  let requests = 0
  const subscriptions = create(async () => {
    requests += 1
    return state(1, null)
  })
  expect(await Promise.all([subscriptions.learn(7), subscriptions.learn(7)])).toEqual([true, true])
  expect([requests, subscriptions.status(7, END_MS)]).toEqual([1, 'active'])
})

test('an organization that keys does not know has lapsed; if keys is unreachable, it stays unknown', async () => {
  const missing = create(async () => undefined)
  expect(await missing.learn(7)).toBe(true)
  expect(missing.status(7, END_MS)).toBe('lapsed')
  const offline = create(unreachable)
  expect(await offline.learn(7)).toBe(false)
  expect(offline.status(7, END_MS)).toBe('unknown')
})
