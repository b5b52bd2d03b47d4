import { publish } from '@whereabouts/messaging/messages/publish'
import { startBus, type Bus } from '@whereabouts/testing/broker/bus'
import { describe, expect } from 'vitest'
import { setRules } from '../../../test/ingest/rules.fixture.ts'
import { events, scans, warehouse } from '../../../test/ingest/warehouse.fixture.ts'
import { test as base, type Tracking } from '../../../test/tracking.fixture.ts'
import { placementPreviewHandlers } from './placement-preview.handlers.ts'

const MINUTE = 60_000
/** So that the reads of a minute stay in it, whenever the tests run. */
const THIS_MINUTE = Math.floor(Date.now() / MINUTE) * MINUTE
const [DOCK, SHELF] = [1, 2] // antennas
const PREVIEW = '/orgs/1/placement/preview'

const test = base.extend<{ bus: Bus }>({
  bus: async ({ tracking }, use) => {
    const bus = await startBus()
    tracking.brokers.current = bus.broker
    await use(bus)
    delete tracking.brokers.current
    await bus.stop()
  },
})

type Read = [antenna: number, minutesAgo: number, rssi: number]

const send = (bus: Bus, [antenna, minutesAgo, rssi_dbm]: Read, orgId = 1) => {
  const read_at = new Date(THIS_MINUTE - minutesAgo * MINUTE).toISOString()
  const reads = [{ tag: { type: 'rfid', value: 'E280' }, antenna, read_at, rssi_dbm }]
  return publish(bus.broker, { subject: `scans.${orgId}.dock-1.canonical`, payload: { reads } })
}

/** Read at the dock and, weaker, at the shelf, which is first in every second minute. */
async function sendFlapping(bus: Bus, orgId = 1): Promise<void> {
  for (let minute = 12; minute > 0; minute -= 1) {
    const both: Read[] = [
      [DOCK, minute, -58],
      [SHELF, minute - 0.1, -88],
    ]
    for (const read of minute % 2 === 0 ? both : both.toReversed()) await send(bus, read, orgId)
  }
}

const ask = (tracking: Tracking, settings: object, hours = 1, orgId = 1) =>
  tracking.call('POST', PREVIEW, { body: { settings, hours }, orgId })

describe('D18.8 a preview', () => {
  test('counts what other settings would have saved, and stores nothing', async ({ tracking, bus }) => {
    const { asset } = await warehouse(tracking)
    const startedAt = Date.now()
    await sendFlapping(bus)
    await send(bus, [SHELF, 1, -50], 2) // of another organization
    const judged = { tag_types: ['rfid'], margin_db: 6, exit_delay_seconds: 120 }
    const { data } = (await ask(tracking, judged)).json()
    expect(Date.parse(data.from)).toBeGreaterThanOrEqual(Math.floor(startedAt / 1_000) * 1_000)
    expect(data).toEqual({
      from: expect.any(String),
      movements_now: 12,
      movements_then: 1,
      most_changed: [
        { asset: { id: asset.id, external_key: asset.external_key, name: asset.name }, now: 12, then: 1 },
      ],
    })
    expect(await scans(tracking)).toEqual([])
    expect(await events(tracking)).toEqual([])
  })

  test('takes what is absent as it is now, three times with other settings of now', async ({
    tracking,
    bus,
  }) => {
    await warehouse(tracking)
    await sendFlapping(bus)
    for (const [marginDb, movements] of [
      [0, 12],
      [6, 1],
      [0, 12],
    ] as const) {
      // oxfmt-ignore
      await setRules(tracking, { tagTypes: ['rfid'], marginDb, exitDelaySeconds: 20 * marginDb })
      const { data } = (await ask(tracking, { exit_delay_seconds: 120 })).json()
      expect([data.movements_now, data.movements_then]).toEqual([movements, 1])
    }
    const { data } = (await ask(tracking, {})).json()
    expect(data).toMatchObject({ movements_now: 12, movements_then: 12, most_changed: [] })
  })

  test('of an organization without messages has no beginning', async ({ tracking, bus }) => {
    await warehouse(tracking)
    expect(bus.broker.isConnected()).toBe(true)
    const { data } = (await ask(tracking, { margin_db: 6 })).json()
    expect(data).toEqual({ from: null, movements_now: 0, movements_then: 0, most_changed: [] })
  })

  test('names the field of a setting that is out of range, and is not found elsewhere', async ({
    tracking,
  }) => {
    expect((await ask(tracking, { margin_db: 41 })).json().error.fields).toMatchObject([
      { field: 'settings.margin_db' },
    ])
    expect((await ask(tracking, {}, 73)).statusCode).toBe(400)
    expect((await ask(tracking, {}, 1, 2)).statusCode).toBe(404)
  })

  test('without a broker is unavailable', async ({ tracking }) => {
    await warehouse(tracking)
    expect((await ask(tracking, {})).statusCode).toBe(503)
  })
})

describe('D18.8 previews at once', () => {
  /** Handlers whose messages come when the test says so. */
  function slowly({ view, ingest }: Tracking, previewMs = 30_000) {
    const { directory, retentionMs } = ingest
    const gate = Promise.withResolvers<void>()
    const readBack = async function* () {
      await gate.promise
      yield []
    }
    const log = { warn: () => undefined } as never
    const handlers = placementPreviewHandlers({ view, directory, retentionMs, readBack, log, previewMs })
    const start = (orgId = 1) =>
      handlers.previewPlacement({
        principal: { orgId },
        params: { org_id: orgId },
        body: { settings: {}, hours: 1 },
      } as never)
    return { start, open: gate.resolve }
  }

  test('a third of one organization is refused until one has ended, three times', async ({ tracking }) => {
    for (const _ of [1, 2, 3]) {
      const { start, open } = slowly(tracking)
      const two = [start(), start()]
      await expect(start()).rejects.toMatchObject({ type: 'rate_limited' })
      const others = [start(2), start(3)]
      await expect(start(4)).rejects.toMatchObject({ type: 'rate_limited' })
      open()
      await Promise.all([...two, ...others])
      await expect(start()).resolves.toMatchObject({ data: { from: null } })
    }
  })
})
