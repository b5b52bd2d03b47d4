import { z } from 'zod'
import { About } from './about.ts'
import { defineMessage } from './message.ts'

/** A reader went silent, or was heard again after that. `last_seen` is when the broker received its newest message. */
export const ReaderEvent = z.object({
  delivery_id: z.guid(),
  org_id: z.int(),
  occurred_at: z.string(),
  reader: z.object({ id: z.int(), reader_key: z.string(), name: z.string() }),
  last_seen: z.string(),
  about: About.optional(),
})
export type ReaderEvent = z.infer<typeof ReaderEvent>

const ofReader = (what: 'silent' | 'online') =>
  defineMessage({
    name: `reader ${what}`,
    schema: ReaderEvent,
    keep: 'all',
    subject: (m) => `events.reader-${what}.${m.org_id}`,
    messageId: (m) => m.delivery_id,
  })

export const readerSilent = ofReader('silent')
export const readerOnline = ofReader('online')
