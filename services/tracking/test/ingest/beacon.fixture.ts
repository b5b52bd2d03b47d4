import type { RecentMinutes } from '../../src/ingest/places/recent-minutes.ts'
import type { Tracking } from '../tracking.fixture.ts'
import { ingest, message, NOW, warehouse } from './warehouse.fixture.ts'

const MINUTE = 60_000
const BEACON = 'AC233F000001'
/** Antennas of the dock, of the shelf, and of no location. */
export const [DOCK, SHELF, NOWHERE] = [1, 2, 3]
/** Before all reads. */
export const START = NOW - 40 * MINUTE

/** The warehouse, with a beacon on its asset. */
export async function beacon(tracking: Tracking) {
  const made = await warehouse(tracking)
  tracking.catalog.tag(made.asset, BEACON, { tag_type: 'ble' })
  await tracking.project()
  const [reader] = (await tracking.call('GET', '/readers')).json().data
  return { ...made, points: `/readers/${reader.id}/scan-points`, readerId: Number(reader.id) }
}

/** Of the beacon, `second` after the start. */
export const heard = (second: number, antenna: number, rssi?: number) => ({
  value: BEACON,
  type: 'ble',
  antenna,
  at: START + second * 1_000,
  ...(rssi !== undefined && { rssi }),
})

/** Each read in a message of its own, by one replica after the other. */
export async function hear(
  tracking: Tracking,
  reads: readonly ReturnType<typeof heard>[],
  replicas: readonly RecentMinutes[],
): Promise<void> {
  for (const [i, read] of reads.entries())
    await ingest(tracking, [message(1, [read])], replicas[i % replicas.length])
}

/** At rest at the dock, 30 dB stronger there than at the shelf. In every second minute, the shelf hears it first. */
export const atRest = (firstMinute: number, minutes: number) =>
  Array.from({ length: minutes }, (_, i) => firstMinute + i).flatMap((minute) => {
    const [first, then] = [minute * 60 + 5, minute * 60 + 9]
    return minute % 2 === 0
      ? [heard(first, DOCK, -58), heard(then, SHELF, -88)]
      : [heard(first, SHELF, -88), heard(then, DOCK, -58)]
  })

/** As an administrator of the organization. */
export const setPlacement = (tracking: Tracking, body: object, orgId = 1) =>
  tracking.call('PATCH', `/orgs/${orgId}/placement`, { body, orgId, as: { role: 'admin' } })

/** The names of the locations in the history, oldest first. */
export async function places(tracking: Tracking): Promise<string[]> {
  const rows = await tracking.db
    .selectFrom('scan')
    .innerJoin('location', 'location.id', 'scan.location_id')
    .select('location.name')
    .orderBy('scan.minute')
    .execute()
  return rows.map(({ name }) => name)
}
