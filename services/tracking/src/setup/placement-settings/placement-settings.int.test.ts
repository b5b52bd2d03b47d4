import { describe, expect } from 'vitest'
import {
  atRest,
  beacon,
  DOCK,
  hear,
  heard,
  NOWHERE,
  places,
  setPlacement,
  SHELF,
  START,
} from '../../../test/ingest/beacon.fixture.ts'
import { events, ingest, message } from '../../../test/ingest/warehouse.fixture.ts'
import { test, type Tracking } from '../../../test/tracking.fixture.ts'
import { LastReads } from '../../ingest/last-reads.loop.ts'
import { RecentMinutes } from '../../ingest/places/recent-minutes.ts'
import { DEFAULT_RULES } from '../../positions/rules.ts'

const DEFAULTS = {
  passages: 'next_observation',
  tag_types: ['ble'],
  margin_db: 0,
  exit_delay_seconds: 0,
  min_rssi_dbm: null,
}
const HELD = { margin_db: 6, exit_delay_seconds: 120 }
const MINUTE = 60_000

const get = async (tracking: Tracking, orgId = 1) =>
  (await tracking.call('GET', `/orgs/${orgId}/placement`, { orgId })).json().data
const three = () => [1, 2, 3].map(() => new RecentMinutes())
/** What a replica carries by now. */
const carry = (tracking: Tracking, nowMs = Date.now() + MINUTE) =>
  new LastReads({ ...tracking.ingest, recent: new RecentMinutes(), now: () => nowMs }).turn()
const carryAt = async ({ db }: Tracking) =>
  (await db.selectFrom('position').select('carry_at').where('evidence', 'is not', null).execute()).map(
    ({ carry_at }) => carry_at,
  )

describe('D18.7 GET and PATCH /orgs/{org_id}/placement', () => {
  test('what is absent stays, and the same change again changes nothing', async ({ tracking }) => {
    expect(await get(tracking)).toEqual(DEFAULTS)
    const first = await setPlacement(tracking, { margin_db: 6, min_rssi_dbm: -90 })
    expect([first.statusCode, first.json()]).toEqual([
      200,
      { data: { ...DEFAULTS, margin_db: 6, min_rssi_dbm: -90 } },
    ])
    for (let n = 0; n < 2; n += 1)
      await setPlacement(tracking, { tag_types: ['rfid', 'ble'], passages: 'carry' })
    await setPlacement(tracking, { min_rssi_dbm: null, exit_delay_seconds: 3_600, tag_types: [] })
    const now = { ...DEFAULTS, margin_db: 6, exit_delay_seconds: 3_600, tag_types: [], passages: 'carry' }
    expect(await get(tracking)).toEqual(now)
    expect((await setPlacement(tracking, {})).json()).toEqual({ data: now })
    expect(tracking.directory.rules(1)).toMatchObject({ marginDb: 6, tagTypes: [], passages: 'carry' })
    expect(await get(tracking, 2)).toEqual(DEFAULTS)
  })

  test.for([
    [{ margin_db: 41 }, 'margin_db too_large'],
    [{ margin_db: -1 }, 'margin_db too_small'],
    [{ margin_db: 1.5 }, 'margin_db invalid_value'],
    [{ margin_db: null }, 'margin_db invalid_value'],
    [{ margin_db: '6' }, 'margin_db invalid_value'],
    [{ exit_delay_seconds: 3_601 }, 'exit_delay_seconds too_large'],
    [{ exit_delay_seconds: null }, 'exit_delay_seconds invalid_value'],
    [{ min_rssi_dbm: 1 }, 'min_rssi_dbm too_large'],
    [{ min_rssi_dbm: -121 }, 'min_rssi_dbm too_small'],
    [{ passages: 'later' }, 'passages invalid_value'],
    [{ passages: null }, 'passages invalid_value'],
    [{ tag_types: null }, 'tag_types invalid_value'],
    [{ tag_types: ['nfc'] }, 'tag_types[0] invalid_value'],
    [{ tag_types: ['ble', 'ble'] }, 'tag_types invalid_value'],
    [{ hold_seconds: 5 }, 'hold_seconds unknown_field'],
  ] as const)('refuses %j', async ([body, expected], { tracking }) => {
    const reply = await setPlacement(tracking, body)
    expect(reply.statusCode).toBe(400)
    const [field] = reply.json().error.fields
    expect(`${field.field} ${field.code}`).toBe(expected)
    expect(await get(tracking)).toEqual(DEFAULTS)
  })

  test('another organization is unknown', async ({ tracking }) => {
    for (const method of ['GET', 'PATCH'] as const) {
      const body = method === 'PATCH' ? { body: { margin_db: 6 } } : {}
      const reply = await tracking.call(method, '/orgs/2/placement', { ...body, as: { role: 'admin' } })
      expect([reply.statusCode, reply.json().error.type]).toEqual([404, 'not_found'])
    }
    expect(await get(tracking, 2)).toEqual(DEFAULTS)
  })

  test('two changes at the same time both count', async ({ tracking }) => {
    const changes = [
      { margin_db: 6 },
      { exit_delay_seconds: 90 },
      { min_rssi_dbm: -80 },
      { tag_types: ['rfid'] },
    ]
    await Promise.all(changes.map((change) => setPlacement(tracking, change)))
    expect(await get(tracking)).toEqual(Object.assign({}, DEFAULTS, ...changes))
  })
})

describe('D18.3 reads that wait when the setting changes', () => {
  test('are carried, wait again, and are carried, three times', async ({ tracking }) => {
    await beacon(tracking)
    for (const minute of [0, 2, 4]) {
      await setPlacement(tracking, { passages: 'next_observation' })
      await hear(tracking, [heard(minute * 60 + 10, DOCK), heard(minute * 60 + 25, SHELF)], three())
      await carry(tracking)
      expect(await places(tracking)).toHaveLength(minute + 1)
      await setPlacement(tracking, { passages: 'carry' })
      await setPlacement(tracking, { passages: 'next_observation' })
      await carry(tracking)
      expect([await places(tracking), await carryAt(tracking)]).toMatchObject([
        { length: minute + 1 },
        [null],
      ])
      await setPlacement(tracking, { passages: 'carry' })
      await carry(tracking)
    }
    expect(await places(tracking)).toEqual(['Dock', 'Shelf', 'Dock', 'Shelf', 'Dock', 'Shelf'])
    expect(await events(tracking)).toHaveLength(6)
  })

  test('5 s after the change, and only those that wait', async ({ tracking }) => {
    const { catalog } = tracking
    await beacon(tracking)
    catalog.tag(catalog.asset(1, 'Back again'), 'E281')
    await tracking.project()
    await hear(tracking, [heard(10, DOCK), heard(25, SHELF)], three())
    for (const [antenna, second] of [
      [DOCK, 10],
      [SHELF, 20],
      [DOCK, 30],
    ] as const)
      // oxfmt-ignore
      await ingest(tracking, [message(1, [{ value: 'E281', antenna, at: START + second * 1_000 }])], new RecentMinutes())
    tracking.clock.stoppedAt = Date.now()
    await setPlacement(tracking, { passages: 'carry' })
    const due = new Date(tracking.clock.stoppedAt + 5_000).toISOString()
    expect(new Set(await carryAt(tracking))).toEqual(new Set([due, null]))
    await carry(tracking, tracking.clock.stoppedAt + 4_999)
    expect(await places(tracking)).toEqual(['Dock', 'Dock'])
    await carry(tracking, tracking.clock.stoppedAt + 5_000)
    expect((await places(tracking)).toSorted()).toEqual(['Dock', 'Dock', 'Shelf'])
  })

  test('are found later if a replica stored them that did not know of the change', async ({ tracking }) => {
    await beacon(tracking)
    await setPlacement(tracking, { passages: 'carry' })
    const stale = { ...tracking, ingest: { ...tracking.ingest, rulesOf: () => DEFAULT_RULES } }
    const loop = new LastReads({ ...tracking.ingest, recent: new RecentMinutes(), now: () => nowMs })
    let nowMs = Date.now()
    for (const minute of [0, 2, 4]) {
      await hear(stale, [heard(minute * 60 + 10, DOCK), heard(minute * 60 + 25, SHELF)], three())
      expect(await carryAt(tracking)).toEqual([null])
      nowMs += 30_000
      await loop.turn()
      nowMs += 6_000
      await loop.turn()
    }
    expect(await places(tracking)).toEqual(['Dock', 'Shelf', 'Dock', 'Shelf', 'Dock', 'Shelf'])
  })

  test('of another organization wait as it wants', async ({ tracking }) => {
    await beacon(tracking)
    await hear(tracking, [heard(10, DOCK), heard(25, SHELF)], three())
    await setPlacement(tracking, { passages: 'carry' }, 2)
    await carry(tracking)
    expect(await places(tracking)).toEqual(['Dock'])
  })
})

describe('D18.7 a beacon at rest that two readers hear', () => {
  test('goes back and forth without settings', async ({ tracking }) => {
    await beacon(tracking)
    await hear(tracking, atRest(0, 12), three())
    expect(await places(tracking)).toEqual(Array.from({ length: 6 }, () => ['Dock', 'Shelf']).flat())
    expect(await events(tracking)).toHaveLength(12)
  })

  test('stays with a margin and a delay, on each of three replicas and in one batch', async ({
    tracking,
  }) => {
    const { asset, shelf } = await beacon(tracking)
    await setPlacement(tracking, HELD)
    await hear(tracking, atRest(0, 6), three())
    await ingest(tracking, [message(1, atRest(6, 6))], new RecentMinutes())
    expect(await places(tracking)).toEqual(Array.from({ length: 12 }, () => 'Dock'))
    expect(await events(tracking)).toHaveLength(1)
    const { data, waiting } = (await tracking.call('GET', `/assets/${asset.id}/sightings`)).json()
    const aside = {
      location: { id: shelf.id, external_key: 'SHELF', name: 'Shelf' },
      reader_key: 'dock-1',
      rssi: -88,
      reads: 1,
    }
    expect(data).toMatchObject(
      Array.from({ length: 12 }, (_, i) => ({
        decided_by: i % 2 === 0 ? 'outvoted' : 'scan_point',
        scan_point: i % 2 === 0 ? null : { name: 'in' },
        tag: { tag_type: 'ble' },
        reader: { reader_key: 'dock-1' },
        outvoted: [aside],
      })),
    )
    expect(waiting).toBeNull()
  })

  test('is held and let go three times', async ({ tracking }) => {
    await beacon(tracking)
    const replicas = three()
    for (let n = 0; n < 3; n += 1) {
      await setPlacement(tracking, HELD)
      await hear(tracking, atRest(n * 8, 4), replicas)
      await setPlacement(tracking, { margin_db: 0, exit_delay_seconds: 0 })
      await hear(tracking, atRest(n * 8 + 4, 4), replicas)
    }
    const round = ['Dock', 'Dock', 'Dock', 'Dock', 'Dock', 'Shelf', 'Dock', 'Shelf']
    expect(await places(tracking)).toEqual([...round, ...round, ...round])
  })
})

describe('D18.7 the strength of a scan point', () => {
  /** One message: the antenna of the shelf hears the tag once and weakly, that of the dock 20 ms later and strongly. */
  const ghost = (minute: number) =>
    message(1, [heard(minute * 60 + 10, SHELF, -81), heard(minute * 60 + 10.02, DOCK, -41)])

  test('in one message, the strongest antenna wins without any setting, after the offset', async ({
    tracking,
  }) => {
    const { points } = await beacon(tracking)
    const [dock, shelf] = (await tracking.call('GET', points)).json().data
    const set = (point: { id: number }, body: object) =>
      tracking.call('PATCH', `${points}/${point.id}`, { body })
    await ingest(tracking, [ghost(0)], new RecentMinutes())
    await set(shelf, { rssi_offset_db: 40 })
    await set(dock, { rssi_offset_db: -1 })
    await ingest(tracking, [ghost(1)], new RecentMinutes())
    await set(dock, { rssi_offset_db: 0 })
    await set(shelf, { rssi_offset_db: 39 })
    await ingest(tracking, [ghost(2)], new RecentMinutes())
    expect(await places(tracking)).toEqual(['Dock', 'Shelf', 'Dock'])
  })

  test('makes weaker reads no scans, of any tag type, until it is removed', async ({ tracking }) => {
    const { points } = await beacon(tracking)
    const [, shelf] = (await tracking.call('GET', points)).json().data
    await setPlacement(tracking, { min_rssi_dbm: -60, tag_types: [] })
    const hearAt = async (minute: number, min_rssi_dbm: number | null, rssi: number) => {
      await tracking.call('PATCH', `${points}/${shelf.id}`, { body: { min_rssi_dbm } })
      await hear(tracking, [heard(minute * 60, SHELF, rssi)], three())
      return (await places(tracking)).length
    }
    const rows: number[] = []
    for (let n = 0; n < 3; n += 1)
      for (const [step, [min, rssi]] of (
        [
          [-80, -81],
          [-80, -80],
          [null, -120],
        ] as const
      ).entries())
        // oxfmt-ignore
        rows.push(await hearAt(n * 3 + step, min, rssi))
    expect(rows).toEqual([0, 1, 2, 2, 3, 4, 4, 5, 6])
  })

  test('is set, shown and removed, and refused beyond its range', async ({ tracking }) => {
    const { points } = await beacon(tracking)
    const body = { name: 'far', antenna: 9, min_rssi_dbm: -70, rssi_offset_db: -40 }
    const made = (await tracking.call('POST', points, { body })).json().data
    expect(made).toMatchObject(body)
    const path = `${points}/${made.id}`
    const patch = async (change: object) => (await tracking.call('PATCH', path, { body: change })).json()
    expect((await patch({ name: 'near' })).data).toMatchObject({ ...body, name: 'near' })
    expect((await patch({ min_rssi_dbm: null, rssi_offset_db: 40 })).data).toMatchObject({ min_rssi_dbm: null, rssi_offset_db: 40 }) // oxfmt-ignore
    expect((await tracking.call('GET', points)).json().data).toMatchObject([
      ...[1, 2, 3].map((antenna) => ({ antenna, min_rssi_dbm: null, rssi_offset_db: 0 })),
      { antenna: 9, min_rssi_dbm: null, rssi_offset_db: 40 },
    ])
    for (const wrong of [
      { rssi_offset_db: 41 },
      { rssi_offset_db: -41 },
      { rssi_offset_db: null },
      { rssi_offset_db: 0.5 },
      { min_rssi_dbm: 1 },
      { min_rssi_dbm: -121 },
    ])
      // oxfmt-ignore
      expect((await patch(wrong)).error).toMatchObject({ type: 'validation_error' })
  })

  test('decides what decode says, after what makes no scan in any case', async ({ tracking }) => {
    const { points, readerId } = await beacon(tracking)
    await setPlacement(tracking, { min_rssi_dbm: -80 })
    const [, , nowhere] = (await tracking.call('GET', points)).json().data
    await tracking.call('PATCH', `${points}/${nowhere.id}`, { body: { min_rssi_dbm: -50 } })
    const weak = { rssi_dbm: -81 }
    const ofBeacon = { tag: { type: 'ble', value: 'AC233F000001' } }
    const reads = [
      { ...ofBeacon, antenna: DOCK, ...weak },
      { ...ofBeacon, antenna: DOCK, rssi_dbm: -80 },
      { ...ofBeacon, antenna: DOCK },
      { tag: { type: 'rfid', value: 'E280' }, antenna: DOCK, ...weak },
      { tag: { type: 'rfid', value: 'E280' }, antenna: NOWHERE, ...weak },
      { tag: { type: 'ble', value: 'AC233F0000FF' }, antenna: DOCK, ...weak },
      { ...ofBeacon, antenna: 9, ...weak },
      { ...ofBeacon, antenna: DOCK, location: 'NONE', ...weak },
      { ...ofBeacon, antenna: DOCK, location: 'SHELF', ...weak },
    ]
    const body = { message: { reads }, format: 'canonical' }
    const decoded = (await tracking.call('POST', `/readers/${readerId}/decode`, { body })).json().data.reads
    expect(decoded.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'too_weak', 'scan', 'scan', 'scan', 'too_weak', 'unknown_tag', 'no_scan_point', 'unknown_location', 'too_weak',
    ]) // oxfmt-ignore
  })
})
