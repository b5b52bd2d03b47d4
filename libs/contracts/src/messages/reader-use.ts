import { z } from 'zod'
import { WireInstant } from '../rules/instant.ts'

/**
 * Asks when a device last used a key that is bound to this reader: it logged in over NATS or MQTT, or was seen to send. Null if no
 * device did. To the minute while a device stays connected.
 */
export const readerUse = {
  subject: 'rpc.keys.reader-use',
  request: z.object({ org_id: z.int(), reader_key: z.string().max(64) }),
  reply: z.object({ used_at: WireInstant.nullable() }),
} as const
export type ReaderUse = z.output<typeof readerUse.request>
