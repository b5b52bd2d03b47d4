import { expect } from 'vitest'
import { attemptAt, logDeliveries, test, type Owner } from '../../test/deliveries.fixture.ts'
import { LISTED_ATTEMPTS } from './attempt-log.queries.ts'

const attemptsOf = async ({ ask, webhookId }: Owner, query = '') =>
  (await ask('GET', `/webhooks/${webhookId}/deliveries${query}`)).json()

test('D11.7 attempts are listed newest first, in pages, each with its number and outcome', async ({
  database,
  owner,
}) => {
  const id = '6f1c7c52-8f0e-4d55-9d0c-3a1f0a3c9f10'
  await logDeliveries(database.db, owner, [
    { seq: 1, id, state: 'waiting', log: [attemptAt(1, 500), attemptAt(4, 503), attemptAt(5)] },
    { seq: 2, log: [attemptAt(2)] },
    { seq: 3, log: [attemptAt(3)] },
  ])
  const list = await attemptsOf(owner, '?limit=2')
  expect(list).toMatchObject({ limit: 2, offset: 0, total_count: 5 })
  expect(list.data[1]).toEqual({
    delivery_id: id,
    attempt: 2,
    attempted_at: '2026-11-21T11:00:00.004Z',
    outcome: 'failed',
    status_code: 503,
    latency_ms: 5,
    error: 'answered 503',
    test: false,
  })
  const { data } = await attemptsOf(owner)
  const times = data.map((row: { attempted_at: string }) => Number(row.attempted_at.slice(20, 23)))
  expect(times).toEqual([5, 4, 3, 2, 1])
  expect((await attemptsOf(owner, '?offset=4')).data).toEqual(data.slice(4))
  expect(await attemptsOf(owner, '?offset=9')).toMatchObject({ data: [], total_count: 5 })
})

test('D11.7 the last 500 attempts are listed, whatever was dropped or waits for its first attempt since', async ({
  database,
  owner,
  newOwner,
}) => {
  const other = await newOwner()
  const rows = Array.from({ length: 10 * LISTED_ATTEMPTS }, (_, n) => ({ seq: n + 1 }))
  await logDeliveries(database.db, owner, rows)
  await logDeliveries(database.db, other, [{ seq: 1 }])
  const later = '2026-11-22T10:00:00.000Z'
  const dropped = Array.from({ length: LISTED_ATTEMPTS }, (_, n) => ({
    seq: 90_000 + n,
    state: 'dropped' as const,
    log: [],
    last_at: later,
  }))
  await logDeliveries(database.db, owner, dropped)
  const list = await attemptsOf(owner, '?limit=1')
  expect(list.total_count).toBe(LISTED_ATTEMPTS)
  expect(list.data[0].attempted_at).toBe(attemptAt(10 * LISTED_ATTEMPTS).at)
  expect((await attemptsOf(other)).total_count).toBe(1)
})

test('D11.7 the contract has one webhook: a further endpoint has no list of attempts there', async ({
  owner,
  newOwner,
}) => {
  const further = await owner.endpoint()
  const theirs = await newOwner()
  for (const id of [further, theirs.webhookId]) {
    const reply = await owner.ask('GET', `/webhooks/${id}/deliveries`)
    expect(reply.json().error.type).toBe('not_found')
  }
})
