import { z } from 'zod'
import { AlertView } from '../../resources/rules/alerts.ts'
import { About } from '../about.ts'
import { defineMessage } from '../message.ts'

/** An alert was raised or resolved, as it was then. */
export const AlertEvent = z.object({
  delivery_id: z.guid(),
  org_id: z.int(),
  occurred_at: z.string(),
  alert: AlertView,
  about: About.optional(),
})
export type AlertEvent = z.infer<typeof AlertEvent>

const ofAlert = (what: 'raised' | 'resolved') =>
  defineMessage({
    name: `alert ${what}`,
    schema: AlertEvent,
    keep: 'all',
    subject: (m) => `events.alert-${what}.${m.org_id}`,
    messageId: (m) => m.delivery_id,
  })

export const alertRaised = ofAlert('raised')
export const alertResolved = ofAlert('resolved')
