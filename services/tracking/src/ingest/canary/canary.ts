import type { IncomingMessage } from '@whereabouts/messaging/messages/delivery'

/**
 * The subject of a canary: that of a reader, of an organization that cannot exist, because ids start at 1. So no login of
 * a reader may publish to it, and it is in no organization's lists.
 */
export const CANARY_SUBJECT = 'scans.0.tracking.canary'

/** A message that takes the way of reads through broker and ingest, and makes no row of history (ADR 81). */
export type Canary = { orgId: 0; receivedAtMs: number }

/** Undefined for the messages of readers. */
export const canaryOf = ({
  subject,
  receivedAt,
}: Pick<IncomingMessage, 'subject' | 'receivedAt'>): Canary | undefined =>
  subject === CANARY_SUBJECT ? { orgId: 0, receivedAtMs: receivedAt } : undefined
