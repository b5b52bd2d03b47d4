import { PoisonError } from '@whereabouts/messaging/consume/settle'
import { expect } from 'vitest'
import { ingestConsumer } from '../ingest/ingest.consumer.ts'
import { ingest, message, NOW, scans, warehouse } from '../../test/ingest/warehouse.fixture.ts'
import { test, type Tracking } from '../../test/tracking.fixture.ts'

const health = async (tracking: Tracking) => {
  await tracking.health.flush()
  return (await tracking.call('GET', '/readers')).json().data[0].health
}

const tags = (count: number) =>
  Array.from({ length: count }, (_, i) => `{"epc":"${String(i).padStart(8, '0')}"}`)

test.for([
  { format: 'csl', body: `{"tags":[${tags(12_000).join()}]}`, problem: 'too many reads: 12000, at most 10000 a message' },
  { format: 'canonical', body: JSON.stringify({ reads: Array.from({ length: 1_001 }, () => 0) }), problem: 'too many reads: 1001, at most 1000 a message' },
  { format: 'impinj', body: ' '.repeat(300_000), problem: 'the message is too long: 300000 bytes, at most 262144' },
  { format: 'impinj', body: '{}', problem: 'not an impinj message: unexpected_shape' },
  { format: 'zebra', body: '{}', problem: 'not a zebra message: unexpected_shape' },
])('R2, S9 $problem: a dead letter, and shown in the health of the reader', async ({ format, body, problem }, { tracking }) => {
  const consumer = ingestConsumer(tracking.ingest)
  const sent = { ...message(1, []), subject: `scans.1.dock-1.${format}`, data: Buffer.from(body) }
  expect(() => consumer.decode(sent)).toThrow(new PoisonError(problem))
  expect(await health(tracking)).toMatchObject({ messages: 1, messages_buried: 1, reads: 0, last_problem: problem })
}) // oxfmt-ignore

test('R8 an impossible antenna has no scan point, not that of antenna 1', async ({ tracking }) => {
  await warehouse(tracking)
  for (const antenna of [0, -1, 65_536]) await ingest(tracking, [message(1, [{ value: 'E280', at: NOW, antenna }])])
  expect(await scans(tracking)).toEqual([])
  expect(await health(tracking)).toMatchObject({
    reads: 3,
    read_errors: 3,
    reads_unplaced: 3,
    last_problem: 'invalid_field at /reads/0/antenna',
  })
  await ingest(tracking, [message(1, [{ value: 'E280', at: NOW, antenna: 0, location: 'SHELF' }])])
  const stored = await tracking.db.selectFrom('scan').select(['antenna']).execute()
  expect(stored).toEqual([{ antenna: null }])
}) // oxfmt-ignore
