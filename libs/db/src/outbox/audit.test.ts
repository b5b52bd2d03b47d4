import type { Caller } from '@whereabouts/contracts/messages/audit'
import { rootTrace, withTrace } from '@whereabouts/service-kit/observe/trace'
import { expect, test } from 'vitest'
import { audited, changesOf, type Act } from './audit.ts'

const subject = { type: 'asset', id: 7, external_key: 'A-7' }
const act: Act = { action: 'asset.update', subject, changes: { name: { from: 'a', to: 'b' } } }
const as = (caller: Caller | undefined, work = () => audited(1, [act])) =>
  withTrace({ ...rootTrace(), requestId: 'r-1', ...(caller && { caller }) }, work)

test('an entry has the caller of the request, and goes to the stream of its organization', () => {
  const actor = { type: 'user', id: 5 } as const
  const [message, ...others] = as({ ip: '203.0.113.7', actor })
  expect(others).toEqual([])
  expect(message).toMatchObject({
    subject: 'audit.1',
    keep: 'all',
    payload: { org_id: 1, actor, action: 'asset.update', subject, ip: '203.0.113.7', request_id: 'r-1' },
  })
  expect(message?.payload).toMatchObject({ id: message?.msg_id })
})

test('a guest is named where no credential is needed, and never instead of the caller', () => {
  const [guest, key] = [{ type: 'user', id: 6 } as const, { type: 'key', id: 'j' } as const]
  const actorOf = (caller: Caller | undefined) =>
    as(caller, () => audited(1, [act], guest)).map(({ payload }) => (payload as { actor: object }).actor)
  expect(actorOf(undefined)).toEqual([guest])
  expect(actorOf({ ip: null })).toEqual([guest])
  expect(actorOf({ ip: null, actor: key })).toEqual([key])
})

test('work without a caller has no entry, nor has an update of nothing', () => {
  const caller: Caller = { ip: null, actor: { type: 'operator', id: null } }
  expect(as(undefined)).toEqual([])
  expect(audited(1, [act])).toEqual([])
  expect(as(caller, () => audited(1, [{ ...act, changes: {} }]))).toEqual([])
  expect(as(caller, () => audited(1, [{ ...act, action: 'asset.delete', changes: {} }]))).toHaveLength(1)
})

test.for([
  { before: { a: 1, b: [1] }, after: { a: 2, b: [1] }, want: { a: { from: 1, to: 2 } } },
  { before: undefined, after: { a: 1, b: null }, want: { a: { from: null, to: 1 } } },
  { before: { a: 1 }, after: undefined, want: { a: { from: 1, to: null } } },
  { before: { a: 1, b: 2 }, after: { a: 1 }, want: {} },
  { before: { a: undefined }, after: { a: null }, want: {} },
])('from $before to $after is $want', ({ before, after, want }) =>
  expect(changesOf(before, after)).toEqual(want),
)
