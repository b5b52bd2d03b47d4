import { setImmediate } from 'node:timers/promises'
import { expect } from 'vitest'
import { newEvent, test, type Replica } from '../../test/events.fixture.ts'
import type { Db } from '../db.ts'
import { recordEvents, type NewEvent } from './events.queries.ts'

const TYPES = ['asset.moved', 'asset.created', 'tag.attached']
const EACH = 150

/** Repeats a run that failed. */
function randomOf(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
type Random = ReturnType<typeof randomOf>

/** The durable: a message is pending until it is acknowledged, and comes again to any recorder. */
async function recordAll(db: Db, pending: NewEvent[], random: Random): Promise<void> {
  while (pending.length > 0) {
    const batch = pending.splice(random(Math.min(pending.length, 20)), 1 + random(12))
    const fate = random(5) // 0: killed before the commit, 1: killed between commit and acknowledgement
    const written = db.transaction().execute(async (tx) => {
      await recordEvents(tx, batch)
      for (let turn = random(4); turn > 0; turn -= 1) await setImmediate()
      if (fate === 0) throw new Error('killed')
    })
    await written.catch(() => undefined)
    if (fate <= 1) pending.push(...batch)
  }
}

/** The ids that a client sees until nothing follows after `isDone`. */
async function follow(replicas: readonly Replica[], orgId: number, random: Random, isDone: () => boolean) {
  const type = random(2) === 0 ? undefined : TYPES[random(TYPES.length)]
  const seen: string[] = []
  let after = ''
  for (;;) {
    const wasDone = isDone()
    const wait = wasDone ? 0 : random(2)
    const query = `?limit=${1 + random(7)}&wait=${wait}${type === undefined ? '' : `&type=${type}`}${after}`
    const { body } = await replicas[random(replicas.length)]!.get(orgId, query)
    seen.push(...body.data.map(({ id }) => id))
    after = `&after=${body.cursor}`
    if (wasDone && !body.has_more) return { orgId, type, seen }
  }
}

test('D13.2 readers of any replica see each event once and all in one order, while recorders are killed', async ({
  database,
  newOrg,
  replica,
}) => {
  const seed = Date.now() % 2 ** 31
  const random = randomOf(seed)
  const orgs = [newOrg(), newOrg(), newOrg()]
  const replicas = [await replica(), await replica()]
  const pending = Array.from({ length: 3 * EACH }, (_, n) => newEvent(orgs[n % 3]!, n, TYPES[random(3)]))
  const all = [...pending]
  let isDone = false
  const { db } = database.worker
  const recording = Promise.all([recordAll(db, pending, random), recordAll(db, pending, random)])
  const following = Promise.all(
    range(9).map(async (n) => follow(replicas, orgs[n % 3]!, random, () => isDone)),
  )
  await recording
  // A recorder that found nothing pending may have left before the other requeued.
  await recordAll(db, pending, random)
  isDone = true
  const orderOf = async (orgId: number) =>
    db.selectFrom('event').select(['id', 'type']).where('org_id', '=', orgId).orderBy('seq').execute()
  for (const { orgId, type, seen } of await following) {
    const order = (await orderOf(orgId)).filter((event) => type === undefined || event.type === type)
    expect(seen, `seed ${seed}`).toEqual(order.map(({ id }) => id))
  }
  for (const orgId of orgs) {
    const ids = (await orderOf(orgId)).map(({ id }) => id)
    expect(ids.toSorted()).toEqual(
      all.flatMap((event) => (event.orgId === orgId ? [event.id] : [])).toSorted(),
    )
  }
})

const range = (count: number) => Array.from({ length: count }, (_, n) => n)

test('D13.2 an event is visible after those with a smaller place, whoever records them', async ({
  database,
  orgId,
  replica,
}) => {
  const { get } = await replica()
  const { db } = database.worker
  const [first, second] = [newEvent(orgId, 1), newEvent(orgId, 2)]
  const release = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const slow = db.transaction().execute(async (tx) => {
    await recordEvents(tx, [first])
    started.resolve()
    await release.promise
  })
  await started.promise
  const fast = recordEvents(db, [second])
  const waiting = db.selectFrom('event').select('id').where('org_id', '=', orgId)
  for (let look = 0; look < 5; look += 1) expect(await waiting.execute()).toEqual([])
  release.resolve()
  await Promise.all([slow, fast])
  const { body } = await get(orgId)
  expect(body.data.map(({ id }) => id)).toEqual([first.id, second.id])
})

test('D13.2 the instant of recording never goes back, even if the clock does', async ({
  database,
  orgId,
}) => {
  const { db } = database.worker
  await recordEvents(db, [newEvent(orgId, 1)])
  await db
    .updateTable('event_head')
    .set({ recorded_at: '2999-01-01T00:00:00.000Z' })
    .where('org_id', '=', orgId)
    .execute()
  await recordEvents(db, [newEvent(orgId, 2)])
  const rows = db.selectFrom('event').select('recorded_at').where('org_id', '=', orgId).orderBy('seq')
  expect((await rows.execute()).at(-1)).toEqual({ recorded_at: '2999-01-01T00:00:00.000Z' })
})
