import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/service/background-job'
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { recordNotices, type NoticeRow } from './notices.ts'

const EVERY_MS = 60_000
/** An endpoint is failing after this time and number of attempts without a success (D13.10). */
const FAILING = { after: sql`interval '15 minutes'`, attempts: 3 }
/** One with extended retries is switched off after this time. */
const DISABLED_AFTER = sql`interval '5 days'`

type Options = { across: Db; log: Logger; registry?: Registry }

/** Tells organizations which of their endpoints fail, and switches off those that have failed for days. */
export const startHealthLoop = ({ across, ...options }: Options): BackgroundJob =>
  startBackgroundJob({ name: 'webhook-health', everyMs: EVERY_MS, ...options }, () => judgeHealth(across))

/** One round. Two replicas tell of each change once: the second finds the row changed. */
export async function judgeHealth(across: Db): Promise<void> {
  await across.transaction().execute(async (tx) => {
    const failing = await sql<NoticeRow>`
      update webhook set health = 'failing'
      where health = 'ok' and enabled and failures >= ${FAILING.attempts}
        and failing_since <= clock_timestamp() - ${FAILING.after}
      returning org_id, id, url, 'webhook.failing' as type`.execute(tx)
    const disabled = await sql<NoticeRow>`
      update webhook set enabled = false, disabled_because = 'failing', updated_at = clock_timestamp()
      where enabled and retry = 'extended' and failures > 0
        and failing_since <= clock_timestamp() - ${DISABLED_AFTER}
      returning org_id, id, url, 'webhook.disabled' as type`.execute(tx)
    await recordNotices(tx, [...failing.rows, ...disabled.rows])
  })
  await freeRows(across)
}

/** What waits for an earlier event that no longer waits: its endpoint has other retries now, or the row was removed. */
async function freeRows(across: Db): Promise<void> {
  await sql`
    update delivery d set next_attempt_at = clock_timestamp()
    where state = 'waiting' and next_attempt_at = 'infinity' and not exists (
      select from delivery b where b.webhook_id = d.webhook_id and b.state = 'waiting' and b.thing = d.thing
        and b.seq < d.seq)`.execute(across)
}
