import type { AssetMoved } from '@whereabouts/contracts/messages/asset-moved'
import type { IncomingMessage } from '@whereabouts/messaging/messages/delivery'
import { sql } from 'kysely'
import type { Tracking } from '../tracking.fixture.ts'
import { ingestConsumer } from '../../src/ingest/ingest.consumer.ts'

/** The start of a minute, when the broker received every message. */
export const NOW = Math.floor(Date.now() / 60_000) * 60_000
const signal = new AbortController().signal
const context = { signal, working: () => undefined }

type Read = { value: string; type?: string; at?: number; antenna?: number; location?: string; rssi?: number }

/** A canonical message, as the broker delivers it. */
export function message(orgId: number, reads: readonly Read[], reader = 'dock-1'): IncomingMessage {
  const body = {
    reads: reads.map(({ value, type = 'rfid', at, antenna, location, rssi }) => ({
      tag: { type, value },
      ...(at !== undefined && { read_at: new Date(at).toISOString() }),
      ...(antenna !== undefined && { antenna }),
      ...(location !== undefined && { location }),
      ...(rssi !== undefined && { rssi_dbm: rssi }),
    })),
  }
  const data = Buffer.from(JSON.stringify(body))
  return {
    subject: `scans.${orgId}.${reader}.canonical`,
    data,
    receivedAt: NOW,
    deliveryCount: 1,
    streamSeq: 1,
    headers: {},
  }
}

export async function ingest(
  tracking: Tracking,
  messages: readonly IncomingMessage[],
  recent = tracking.ingest.recent,
) {
  const consumer = ingestConsumer({ ...tracking.ingest, recent })
  await consumer.handle(
    messages.map((m) => consumer.decode(m)),
    context,
  )
}

export async function events(tracking: Tracking): Promise<AssetMoved[]> {
  const rows = await tracking.db
    .selectFrom('outbox')
    .select('payload')
    .where('subject', 'not like', 'audit.%')
    .orderBy('id')
    .execute()
  return rows.map((row) => row.payload as AssetMoved)
}

export const scans = (tracking: Tracking) =>
  tracking.db
    .selectFrom('scan')
    .select(['asset_id', 'location_id', 'observed_at'])
    .orderBy('observed_at')
    .execute()

/** As if the scan points that changed since the last call had changed at this instant, in steps of a millisecond. */
export async function dateChanges(tracking: Tracking, at: number, orgId = 1): Promise<void> {
  await sql`
    update scan_point_change as c set changed_at = ${new Date(at).toISOString()}::timestamptz
      - (made.number - 1) * interval '1 millisecond'
    from (select reader_key, antenna, changed_at,
                 row_number() over (partition by reader_key, antenna order by changed_at desc) as number
          from scan_point_change where org_id = ${orgId} and changed_at > ${new Date(NOW).toISOString()}) as made
    where c.org_id = ${orgId} and c.reader_key = made.reader_key and c.antenna = made.antenna
      and c.changed_at = made.changed_at`.execute(tracking.db)
  await tracking.directory.reload(orgId)
}

/** An asset with tag E280, antenna 1 at a dock, antenna 2 at a shelf, and antenna 3 unassigned. */
export async function warehouse(tracking: Tracking) {
  const { catalog } = tracking
  const asset = catalog.asset(1, 'Forklift 7')
  catalog.tag(asset, 'E280')
  const dock = catalog.location(1, 'Dock')
  const shelf = catalog.location(1, 'Shelf')
  await tracking.project()
  const reader = await tracking.call('POST', '/readers', {
    body: { reader_key: 'dock-1', name: 'Dock reader', format: 'canonical' },
  })
  const points = `/readers/${reader.json().data.id}/scan-points`
  await tracking.call('POST', points, { body: { name: 'in', antenna: 1, location_id: dock.id } })
  await tracking.call('POST', points, { body: { name: 'up', antenna: 2, location_external_key: 'SHELF' } })
  await tracking.call('POST', points, { body: { name: 'none', antenna: 3 } })
  return { asset, dock, shelf }
}
