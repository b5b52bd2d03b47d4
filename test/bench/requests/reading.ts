import type { Stack } from '@whereabouts/deploy/local/stack'
import { connect } from 'nats'
import { announceKeys, inTracking } from '../ingest/warehouse.ts'
import { startWriting } from '../reports/writing.ts'

const FIRST = 1
const READS_PER_MESSAGE = 10
const PLACES = 'select id from location where org_id = $1 and deleted_at is null order by id desc limit 2'

/** Sends reads of the assets of the first organization until it is stopped. Restarts tracking, so warm it up after that. */
export async function startReading(stack: Stack, readsPerSecond: number, say: (text: string) => void) {
  const pass = stack.secrets.nats.services_password
  const nc = await connect({ servers: stack.urls.nats, user: 'services', pass })
  await announceKeys(nc, FIRST, 1, readsPerSecond)
  const places = await inTracking(stack, (client) => client.query<{ id: string }>(PLACES, [FIRST]))
  const rate = { messagesPerSecond: readsPerSecond / READS_PER_MESSAGE, readsPerMessage: READS_PER_MESSAGE }
  const locationIds = places.rows.map(({ id }) => Number(id))
  const writing = await startWriting(stack, nc, { orgId: FIRST, locationIds }, rate)
  return {
    async stop() {
      say(`Meanwhile ${(await writing.stop()).toFixed(0)} rows of history a second were written.\n`)
      await nc.close()
    },
  }
}
