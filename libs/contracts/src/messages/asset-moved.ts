import { z } from 'zod'
import { About } from './about.ts'
import { defineMessage } from './message.ts'

const Place = z.object({ id: z.int(), name: z.string() })

/** A movement, with the names at that time, so that the receiver gets what was true then. */
export const AssetMoved = z.object({
  delivery_id: z.guid(),
  org_id: z.int(),
  occurred_at: z.string(),
  kind: z.enum(['scan', 'save']),
  asset: z.object({ id: z.int(), external_key: z.string(), name: z.string() }),
  from_location: Place.nullable(),
  to_location: Place,
  about: About.optional(),
})
export type AssetMoved = z.infer<typeof AssetMoved>

export const assetMoved = defineMessage({
  name: 'asset moved',
  schema: AssetMoved,
  keep: 'all',
  subject: (m) => `events.asset-moved.${m.org_id}`,
  messageId: (m) => m.delivery_id,
})
