import { expect } from 'vitest'
import { historyRows, newReader, type Organization } from '../../system/organization.ts'
import { connectReader } from '../../system/readers.ts'
import { STACK } from './visitor.fixture.ts'

type Tagged = { id: number; tag: string }
type Reading = { location: string; hoursAgo: number }

const HOUR_MS = 3_600_000

/** Publishes past reads of reader `gate-1` (an inventory save is always now). Resolves when the history has them. */
export async function readAt(
  org: Organization,
  { id, tag }: Tagged,
  readings: readonly Reading[],
): Promise<void> {
  await newReader(org, { key: 'gate-1', format: 'canonical', locationId: 0, antennas: 0 })
  const link = await connectReader(STACK, org.readerKey, 'nats')
  const reads = readings.map(({ location, hoursAgo }) => ({
    tag: { type: 'rfid', value: tag },
    location,
    read_at: new Date(Date.now() - hoursAgo * HOUR_MS).toISOString(),
  }))
  await link.publish(org.id, 'gate-1', 'canonical', Buffer.from(JSON.stringify({ reads })))
  await link.close()
  const old = async () =>
    (await historyRows(org, id)).filter(
      ({ event_observed_at }) => Date.parse(event_observed_at) < Date.now() - HOUR_MS,
    )
  await expect.poll(async () => (await old()).length, { timeout: 10_000 }).toBe(readings.length)
}
