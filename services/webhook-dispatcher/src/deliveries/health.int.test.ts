import { sql } from 'kysely'
import { expect } from 'vitest'
import { addEndpoint, deliveryRows, recordMoves, test } from '../../test/dispatcher.fixture.ts'
import { judgeHealth } from './health.loop.ts'

const SOON = { timeout: 15_000 }

test('D13.10 an endpoint is failing after 15 minutes, recovers with a success, and each is told once', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  const id = await addEndpoint(database.db, orgId, receiver.url)
  dispatcher().deliverFor(orgId)
  const across = database.worker.db
  const health = () =>
    database.db.selectFrom('webhook').select(['health', 'failures']).where('id', '=', id).executeTakeFirst()
  const told = async () =>
    (
      await database.db
        .selectFrom('event')
        .select(['type', 'data'])
        .where('org_id', '=', orgId)
        .where('type', 'like', 'webhook.%')
        .orderBy('seq')
        .execute()
    ).map(({ type, data }) => [type, data])
  const about = (state: string) => ({ webhook: { id, url: receiver.url, health: state } })
  const expected: unknown[] = []
  for (let round = 0; round < 3; round += 1) {
    receiver.respondWith((_, response) => void response.writeHead(500).end())
    await recordMoves(database.db, orgId, 3)
    await expect.poll(async () => (await health())?.failures, SOON).toBeGreaterThanOrEqual(3)
    await judgeHealth(across)
    expect(await health()).toMatchObject({ health: 'ok' }) // only for a moment so far
    await sql`update webhook set failing_since = failing_since - interval '15 minutes' where id = ${id}`.execute(
      database.db,
    )
    await Promise.all([judgeHealth(across), judgeHealth(across)])
    expect(await health()).toMatchObject({ health: 'failing' })
    receiver.respondWith((_, response) => void response.writeHead(204).end())
    await recordMoves(database.db, orgId)
    await expect.poll(health, SOON).toEqual({ health: 'ok', failures: 0 })
    expected.push(['webhook.failing', about('failing')], ['webhook.recovered', about('ok')])
    expect(await told()).toEqual(expected)
  }
})

test('D13.10 one with extended retries is switched off after five days; one with standard retries is not', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  const [extended, standard] = [
    await addEndpoint(database.db, orgId, receiver.url, { retry: 'extended' }),
    await addEndpoint(database.db, orgId, receiver.url),
  ]
  receiver.respondWith((_, response) => void response.writeHead(500).end())
  dispatcher().deliverFor(orgId)
  await recordMoves(database.db, orgId, 1)
  await expect.poll(() => deliveryRows(database.db, orgId), SOON).toHaveLength(2)
  await sql`update webhook set failing_since = failing_since - interval '5 days' where org_id = ${orgId}`.execute(
    database.db,
  )
  for (let round = 0; round < 3; round += 1) await judgeHealth(database.worker.db)
  const rows = await database.db
    .selectFrom('webhook')
    .select(['id', 'enabled', 'disabled_because'])
    .where('org_id', '=', orgId)
    .execute()
  expect(rows.find(({ id }) => id === extended)).toMatchObject({
    enabled: false,
    disabled_because: 'failing',
  })
  expect(rows.find(({ id }) => id === standard)).toMatchObject({ enabled: true, disabled_because: null })
  const events = await database.db
    .selectFrom('event')
    .select('type')
    .where('org_id', '=', orgId)
    .where('type', '=', 'webhook.disabled')
    .execute()
  expect(events).toHaveLength(1)
})
