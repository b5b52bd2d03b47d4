import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { ago, answers, MINUTE, stored, type Asked } from '../../test/ingest/as-of.fixture.ts'
import { dateChanges, NOW, warehouse } from '../../test/ingest/warehouse.fixture.ts'
import { log, test, type Tracking } from '../../test/tracking.fixture.ts'
import { maintainPartitions } from '../positions/partitions/partitions.loop.ts'

const at = (...minutes: number[]): Asked[] => minutes.map((minute) => ({ ago: minute }))
const three = <T>(one: T): T[] => [one, one, one]
const forklift = (...places: string[]) => three(places.map((place) => `Forklift 7 at ${place}`))

const DAY = 24 * 60

/** The warehouse as it was set up some days ago, and what changes its scan points. */
async function scene(tracking: Tracking, days = 1) {
  const things = await warehouse(tracking)
  await dateChanges(tracking, ago(days * DAY))
  const [reader] = (await tracking.call('GET', '/readers')).json().data
  const points = `/readers/${reader.id}/scan-points`
  const call = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, minutes: number, body?: object) => {
    const reply = await tracking.call(method, path, body ? { body } : {})
    expect(reply.statusCode, reply.body).toBeLessThan(300)
    await dateChanges(tracking, ago(minutes))
    return reply.body === '' ? undefined : reply.json().data
  }
  const idOf = async (antenna: number) =>
    (await tracking.call('GET', points))
      .json()
      .data.find((point: { antenna: number }) => point.antenna === antenna)?.id as number
  return { ...things, reader, points, call, idOf }
}

describe('D18.1 a read counts for the place that its antenna had at its time', () => {
  test('an antenna that moved back and forth, three times', async ({ tracking }) => {
    const { points, call, idOf, dock, shelf } = await scene(tracking)
    const path = `${points}/${await idOf(1)}`
    for (const [i, minutes] of [70, 60, 50, 40, 30, 20].entries())
      await call('PATCH', path, minutes, { location_id: i % 2 === 0 ? shelf.id : dock.id })
    const places = ['Dock', 'Shelf', 'Dock', 'Shelf', 'Dock', 'Shelf', 'Dock']
    const minutes = [75, 65, 55, 45, 35, 25, 15]
    expect(await answers(tracking, at(...minutes))).toEqual(forklift(...places))
    expect((await stored(tracking, at(...minutes))).rows).toEqual(
      places.map((place, i) => ['Forklift 7', place, minutes[i]]),
    )
  })

  test('a time less than 10 s before receipt counts as that of receipt', async ({ tracking }) => {
    const { points, call, idOf, shelf } = await scene(tracking)
    await call('PATCH', `${points}/${await idOf(1)}`, 5 / 60, { location_id: shelf.id })
    expect(await answers(tracking, at(9 / 60, 10 / 60))).toEqual(forklift('Shelf', 'Dock'))
  })

  test('the first location of an antenna counts for earlier times, also if it had none before', async ({
    tracking,
  }) => {
    const { points, call, shelf } = await scene(tracking)
    const { id } = await call('POST', points, 30, { name: 'new', antenna: 7 })
    const reads = [40, 25, 10].map((minutes) => ({ antenna: 7, ago: minutes }))
    expect(await answers(tracking, reads)).toEqual(forklift('nowhere', 'nowhere', 'nowhere'))
    await call('PATCH', `${points}/${id}`, 20, { location_id: shelf.id })
    expect(await answers(tracking, reads)).toEqual(forklift('Shelf', 'Shelf', 'Shelf'))
  })

  test('a scan point that was deleted, and made anew elsewhere', async ({ tracking }) => {
    const { points, call, idOf, shelf } = await scene(tracking)
    await call('DELETE', `${points}/${await idOf(1)}`, 30)
    await call('POST', points, 20, { name: 'anew', antenna: 1, location_id: shelf.id })
    expect(await answers(tracking, at(60, 25, 10))).toEqual(forklift('Dock', 'unassigned', 'Shelf'))
    const { rows, health } = await stored(tracking, at(60, 25, 10))
    expect(rows).toEqual([
      ['Forklift 7', 'Dock', 60],
      ['Forklift 7', 'Shelf', 10],
    ])
    expect(health.reads_unplaced).toBe(1)
  })

  test('a reader that was deleted with its scan points, and made anew', async ({ tracking }) => {
    const { reader, call, shelf } = await scene(tracking)
    await call('DELETE', `/readers/${reader.id}`, 30)
    const { id } = await call('POST', '/readers', 20, {
      reader_key: 'dock-1',
      name: 'Anew',
      format: 'canonical',
    })
    expect(await answers(tracking, at(60, 25))).toEqual(forklift('Dock', 'unassigned'))
    await call('POST', `/readers/${id}/scan-points`, 20, { name: 'in', antenna: 1, location_id: shelf.id })
    expect(await answers(tracking, at(60, 25, 10))).toEqual(forklift('Dock', 'unassigned', 'Shelf'))
  })

  test('a scan point that was given another antenna', async ({ tracking }) => {
    const { points, call, idOf } = await scene(tracking)
    await call('PATCH', `${points}/${await idOf(1)}`, 30, { antenna: 9 })
    const reads = [1, 9].flatMap((antenna) => [60, 10].map((minutes) => ({ antenna, ago: minutes })))
    expect(await answers(tracking, reads)).toEqual(forklift('Dock', 'unassigned', 'Dock', 'Dock'))
  })

  test('also if the release before changed it, and nothing was remembered of it', async ({ tracking }) => {
    const { shelf } = await scene(tracking)
    await tracking.db.deleteFrom('scan_point_change').execute()
    await tracking.tenants.transaction(1, async (tx) => {
      await sql`update scan_point set location_id = ${shelf.id} where org_id = 1 and antenna = 1`.execute(tx)
      await sql`delete from scan_point where org_id = 1 and antenna = 2`.execute(tx)
    })
    await dateChanges(tracking, ago(30))
    const reads = [1, 2].flatMap((antenna) => [60, 10].map((minutes) => ({ antenna, ago: minutes })))
    expect(await answers(tracking, reads)).toEqual(forklift('Dock', 'Shelf', 'Shelf', 'unassigned'))
  })

  test('changes are kept for eight days, and the newest one before', async ({ tracking }) => {
    const { points, call, idOf, dock, shelf } = await scene(tracking, 30)
    const path = `${points}/${await idOf(1)}`
    for (const [days, location] of [
      [20, shelf],
      [10, dock],
      [7, shelf],
      [2, dock],
    ] as const)
      // oxfmt-ignore
      await call('PATCH', path, days * DAY, { location_id: location.id })
    const ofFirst = async () =>
      (
        await tracking.db
          .selectFrom('scan_point_change')
          .select(['location_id', 'changed_at'])
          .where('antenna', '=', 1)
          .orderBy('changed_at')
          .execute()
      ).map(({ location_id, changed_at }) => [
        location_id,
        Math.round((NOW - Date.parse(changed_at)) / DAY / MINUTE),
      ])
    const placeAt = (minutes: number) => tracking.directory.assignment(1, 'dock-1', 1, ago(minutes))
    const known = () =>
      [placeAt(9 * DAY), placeAt(7.5 * DAY), placeAt(6 * DAY), placeAt(DAY)].map(
        (it) => it.isAssigned && it.locationId,
      )
    const expected = [dock.id, dock.id, shelf.id, dock.id]
    expect(known()).toEqual(expected)
    for (let turn = 0; turn < 3; turn += 1) {
      await maintainPartitions({ owner: tracking.db, retentionDays: 400, log })
      await tracking.directory.reload(1)
      expect(await ofFirst()).toEqual([[dock.id, 10], [shelf.id, 7], [dock.id, 2]]) // oxfmt-ignore
      expect(known()).toEqual(expected)
    }
  })

  test('another organization with a reader of the same key has its own history', async ({ tracking }) => {
    const { points, call, idOf, shelf } = await scene(tracking)
    await call('PATCH', `${points}/${await idOf(1)}`, 30, { location_id: shelf.id })
    expect(tracking.directory.assignment(2, 'dock-1', 1, ago(60))).toEqual({ isAssigned: false })
    await tracking.directory.reload(2)
    expect(tracking.directory.assignment(2, 'dock-1', 1, ago(60))).toEqual({ isAssigned: false })
  })
})
