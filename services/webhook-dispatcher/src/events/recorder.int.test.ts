import { randomUUID } from 'node:crypto'
import { consumeBatches } from '@whereabouts/messaging/consume/consume'
import { publish } from '@whereabouts/messaging/messages/publish'
import type { Bus } from '@whereabouts/testing/broker/bus'
import type { ServiceDatabase } from '@whereabouts/testing/database/database'
import { eventually } from '@whereabouts/testing/eventually'
import { expect } from 'vitest'
import { movedEvent } from '../../test/dispatcher.fixture.ts'
import { test } from '../../test/events.fixture.ts'
import type { Tables } from '../db.ts'
import { eventRecorder } from './recorder.consumer.ts'

const send = ({ broker }: Bus, token: string, orgId: number, payload: unknown) =>
  publish(broker, { subject: `events.${token}.${orgId}`, payload })

function start({ broker, logger }: Bus, { worker }: ServiceDatabase<Tables>) {
  const counts: Record<string, number> = {}
  const handled = (outcome: string, count: number) => void (counts[outcome] = (counts[outcome] ?? 0) + count)
  return {
    ...consumeBatches(broker, eventRecorder(worker.db), { logger, graceMs: 5_000, metrics: { handled } }),
    counts,
  }
}

test('D13.1 records what EVENTS brings, of all types, once, in milliseconds, as webhooks have it', async ({
  bus,
  database,
  orgId,
}) => {
  const moved = { ...movedEvent(orgId), occurred_at: '2026-11-21T11:00:00.123987+01:00' }
  const asset = { id: 7, external_key: 'A-7', name: 'Box' }
  const deleted = {
    delivery_id: randomUUID(),
    org_id: orgId,
    occurred_at: moved.occurred_at,
    data: { asset },
  }
  await send(bus, 'asset-moved', orgId, moved)
  await send(bus, 'asset-deleted', orgId, deleted)
  await send(bus, 'asset-moved', orgId, moved) // past the duplicate window of the broker
  const recorder = start(bus, database)
  await eventually(() => expect(recorder.counts).toEqual({ ack: 3 }))
  await recorder.stop()
  const rows = database.db.selectFrom('event').where('org_id', '=', orgId).orderBy('seq')
  expect(await rows.select(['id', 'type', 'occurred_at', 'data']).execute()).toEqual([
    {
      id: moved.delivery_id,
      type: 'asset.moved',
      occurred_at: '2026-11-21T10:00:00.123Z',
      data: {
        asset: { id: 11, external_key: 'ASSET-0011', name: 'Forklift' },
        from_location: null,
        to_location: { id: 22, name: 'Dock' },
      },
    },
    {
      id: deleted.delivery_id,
      type: 'asset.deleted',
      occurred_at: '2026-11-21T10:00:00.123Z',
      data: { asset },
    },
  ])
})

test('ADR 105 what filters look at is kept beside the data, and never among it', async ({
  bus,
  database,
  orgId,
}) => {
  const about = { asset_type: 'person', at: [2, 3], within: [1, 2, 3] }
  const event = { delivery_id: randomUUID(), org_id: orgId, occurred_at: '2026-11-21T11:00:00Z' }
  const read = {
    reader: { id: 4, reader_key: 'dock-1', name: 'Dock' },
    last_seen: '2026-11-21T10:00:00.000Z',
  }
  const asset = { id: 7, external_key: 'A-7', name: 'Box' }
  await send(bus, 'asset-moved', orgId, { ...movedEvent(orgId), about })
  await send(bus, 'reader-silent', orgId, { ...event, ...read, about: { at: [2], within: [1, 2] } })
  await send(bus, 'asset-deleted', orgId, { ...event, delivery_id: randomUUID(), data: { asset }, about: { asset_type: 'asset' } }) // oxfmt-ignore
  await send(bus, 'asset-moved', orgId, movedEvent(orgId)) // of the release before
  const recorder = start(bus, database)
  await eventually(() => expect(recorder.counts).toEqual({ ack: 4 }))
  await recorder.stop()
  const rows = database.db.selectFrom('event').where('org_id', '=', orgId).orderBy('seq')
  const kept = await rows.select(['type', 'about', 'data']).execute()
  expect(kept.map(({ type, about: seen }) => [type, seen])).toEqual([
    ['asset.moved', about],
    ['reader.silent', { at: [2], within: [1, 2] }],
    ['asset.deleted', { asset_type: 'asset' }],
    ['asset.moved', null],
  ])
  expect(kept[1]?.data).toEqual(read)
  expect(JSON.stringify(kept.map(({ data }) => data))).not.toMatch(/about|within|asset_type/)
})

test('a message that cannot be an event is a dead letter, one of an unknown type is kept for another release', async ({
  bus,
  database,
  orgId,
}) => {
  const good = movedEvent(orgId)
  await send(bus, 'asset-moved', orgId, { ...good, delivery_id: 'none' })
  await send(bus, 'asset-moved', orgId + 1, movedEvent(orgId))
  await send(bus, 'asset-moved', orgId, { ...movedEvent(orgId), occurred_at: 'yesterday' })
  await send(bus, 'asset-sang', orgId, movedEvent(orgId))
  await send(bus, 'asset-moved', orgId, good)
  const recorder = start(bus, database)
  await eventually(() => expect(recorder.counts).toMatchObject({ ack: 1, bury: 3, nak: expect.any(Number) }))
  await recorder.stop()
  const rows = await database.db.selectFrom('event').select('id').where('org_id', '=', orgId).execute()
  expect(rows).toEqual([{ id: good.delivery_id }])
})
