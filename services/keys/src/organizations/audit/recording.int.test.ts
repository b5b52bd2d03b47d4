import { randomUUID } from 'node:crypto'
import { auditEntry, type AuditEntry } from '@whereabouts/contracts/messages/audit'
import { consumeBatches } from '@whereabouts/messaging/consume/consume'
import { publish } from '@whereabouts/messaging/messages/publish'
import { startBus, type Bus } from '@whereabouts/testing/broker/bus'
import { eventually } from '@whereabouts/testing/eventually'
import { expect } from 'vitest'
import { test as base, type Keys, type Org } from '../../../test/keys.fixture.ts'
import { auditRecorder } from './audit.consumer.ts'
import { purgeOldAudit, recordAudit } from './recording.queries.ts'

const test = base.extend<{ bus: Bus }>({
  bus: [
    async ({}, use) => {
      const bus = await startBus()
      await use(bus)
      await bus.stop()
    },
    { scope: 'file' },
  ],
})

const entryOf = ({ orgId, userId }: Pick<Org, 'orgId' | 'userId'>, n: number): AuditEntry => ({
  id: randomUUID(),
  org_id: orgId,
  at: new Date(Date.UTC(2026, 10, 21, 10, 0, n)).toISOString(),
  actor: { type: 'user', id: userId },
  action: 'asset.update',
  subject: { type: 'asset', id: n, external_key: `A-${n}` },
  changes: { name: { from: 'Pump', to: 'Pump 2' } },
  ip: '203.0.113.7',
  request_id: 'r'.repeat(300),
})

const stored = ({ database }: Keys, orgId: number) =>
  database.db.selectFrom('audit').selectAll().where('org_id', '=', orgId).orderBy('seq').execute()

const get = async (keys: Keys, org: Org, query = '') => {
  const reply = await keys.send(`/api/v1/orgs/${org.orgId}/audit${query}`, { caller: keys.admin(org) })
  return { status: reply.statusCode, body: reply.json() }
}

/** Records all pages from `after` on, as a collector does. */
async function follow(keys: Keys, org: Org, after: string, limit = 3) {
  const seen: string[] = []
  for (let at = after; ;) {
    const { body } = await get(keys, org, `?limit=${limit}&after=${at}`)
    seen.push(...body.data.map(({ id }: { id: string }) => id))
    at = body.cursor
    if (!body.has_more) return { seen, cursor: at }
  }
}

test('D15.4 each entry has one row when recorders are killed between the commit and the acknowledgement', async ({
  keys,
  bus,
}) => {
  for (let round = 0; round < 3; round += 1) {
    const orgs = [await keys.signUp(), await keys.signUp()]
    const entries = Array.from({ length: 40 }, (_, n) => entryOf(orgs[n % 2]!, n))
    for (const entry of entries)
      await publish(bus.broker, { subject: auditEntry.subject(entry), payload: entry })
    let kills = 5
    let acknowledged = 0
    const recorder = auditRecorder(keys.database.worker.db)
    const dying = {
      ...recorder,
      async handle(batch: AuditEntry[]) {
        await recordAudit(keys.database.worker.db, batch)
        if ((kills -= 1) >= 0) throw new Error('killed')
      },
    }
    const handled = (outcome: string, count: number) => void (outcome === 'ack' && (acknowledged += count))
    const options = { logger: bus.logger, graceMs: 5_000, metrics: { handled } }
    const replicas = [
      consumeBatches(bus.broker, dying, options),
      consumeBatches(bus.broker, recorder, options),
    ]
    await eventually(() => expect(acknowledged).toBe(entries.length))
    await Promise.all(replicas.map((replica) => replica.stop()))
    expect(kills).toBeLessThan(5)
    for (const org of orgs) {
      const own = entries.filter(({ org_id }) => org_id === org.orgId).map(({ id }) => id)
      expect((await stored(keys, org.orgId)).map(({ id }) => id).toSorted()).toEqual(own.toSorted())
      expect((await follow(keys, org, 'oldest')).seen.toSorted()).toEqual(own.toSorted())
    }
  }
})

test('D15.4 names are those of the time of the change, and an id of a key is that of lists', async ({
  keys,
}) => {
  const org = await keys.signUp()
  const key = await keys.createKey(org, { name: 'ERP' })
  const ofKey = { ...entryOf(org, 1), actor: { type: 'key', id: key.jti } } as const
  const ofOperator = { ...entryOf(org, 2), actor: { type: 'operator', id: null } } as const
  await recordAudit(keys.database.worker.db, [entryOf(org, 0), ofKey, ofOperator])
  await keys.database.db
    .updateTable('app_user')
    .set({ name: 'Countess' })
    .where('id', '=', org.userId)
    .execute()
  const { body } = await get(keys, org)
  expect(body.data.map(({ actor }: { actor: object }) => actor)).toEqual([
    { type: 'operator', id: null, name: null },
    { type: 'key', id: key.id, name: 'ERP' },
    { type: 'user', id: org.userId, name: 'Ada' },
  ])
  expect(body.data[0]).toMatchObject({ request_id: 'r'.repeat(255), changes: { name: { to: 'Pump 2' } } })
})

test('D15.4 what is 400 days old is removed; its cursor is gone, and the others go on', async ({ keys }) => {
  const org = await keys.signUp()
  const entries = Array.from({ length: 9 }, (_, n) => entryOf(org, n))
  for (const entry of entries) await recordAudit(keys.database.worker.db, [entry])
  const { body: first } = await get(keys, org, '?limit=2&after=oldest')
  const { body: sixth } = await get(keys, org, '?limit=6&after=oldest')
  const old = await stored(keys, org.orgId)
  await keys.database.pool.query(
    `update audit set recorded_at = now() - make_interval(days => case when seq <= $2 then 401 else 399 end) where org_id = $1`,
    [org.orgId, old[4]!.seq],
  )
  expect(await purgeOldAudit(keys.database.worker.db, 3)).toBe(3)
  expect(await purgeOldAudit(keys.database.worker.db, 3)).toBe(2)
  expect(await purgeOldAudit(keys.database.worker.db, 3)).toBe(0)
  expect((await get(keys, org, `?after=${first.cursor}`)).status).toBe(410)
  const ids = entries.map(({ id }) => id)
  expect((await follow(keys, org, sixth.cursor)).seen).toEqual(ids.slice(6))
  const all = await follow(keys, org, 'oldest')
  expect(all.seen).toEqual(ids.slice(5))
  expect((await get(keys, org, `?after=${all.cursor}`)).body).toEqual({
    data: [],
    cursor: all.cursor,
    has_more: false,
  })
})

test('D15.4 a cursor of another organization, a future one and one with an offset are refused', async ({
  keys,
}) => {
  const [mine, theirs] = [await keys.signUp(), await keys.signUp()]
  await recordAudit(keys.database.worker.db, [entryOf(mine, 0), entryOf(theirs, 0)])
  const { cursor } = (await get(keys, theirs, '?after=now')).body
  const future = Buffer.from(`${mine.orgId} 999999`).toString('base64url')
  for (const after of [cursor, future, 'x', `${(await get(keys, mine, '?after=now')).body.cursor}&offset=1`])
    expect((await get(keys, mine, `?after=${after}`)).status).toBe(400)
  expect((await get(keys, mine)).body.total_count).toBe(1)
})
