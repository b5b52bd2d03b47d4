import { randomUUID } from 'node:crypto'
import type { Db } from '../db.ts'
import { recordEvents } from '../events/events.queries.ts'

type NoticeType = 'webhook.failing' | 'webhook.recovered' | 'webhook.disabled'

/** An endpoint, and what its organization is told of it. `type` null: nothing. */
export type NoticeRow = { org_id: number; id: number; url: string; type: NoticeType | null }

const HEALTH = { 'webhook.failing': 'failing', 'webhook.recovered': 'ok', 'webhook.disabled': 'disabled' }

/** Adds the changes of health to the feed (D13.10), in the transaction that makes them. */
export async function recordNotices(tx: Db, rows: readonly NoticeRow[]): Promise<void> {
  const events = rows.flatMap(({ org_id: orgId, id, url, type }) =>
    type === null
      ? []
      : {
          orgId,
          id: randomUUID(),
          type,
          occurredAt: new Date().toISOString(),
          data: JSON.stringify({ webhook: { id, url, health: HEALTH[type] } }),
        },
  )
  if (events.length > 0) await recordEvents(tx, events)
}
