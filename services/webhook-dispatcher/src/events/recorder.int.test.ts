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
