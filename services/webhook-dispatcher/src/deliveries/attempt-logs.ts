import { countedLog } from '@whereabouts/service-kit/observe/counted-log'
import type { Logger } from '@whereabouts/messaging/connect/logger'

type About = { org_id: number; delivery_id: string; [field: string]: unknown }

export type AttemptLogs = {
  failed(fields: About & { outcome: string; status: number | undefined; error: string | undefined }): void
  dropped(fields: About & { reason: string }): void
  /** Writes the counts that have no line yet. */
  close(): void
}

/** A receiver can fail as often as its organization has movements. The delivery log has each attempt. */
export function attemptLogs(log: Logger): AttemptLogs {
  const failures = countedLog((fields) => log.info(fields, 'delivery attempt'))
  const drops = countedLog((fields) => log.warn(fields, 'delivery dropped'))
  return {
    failed(fields) {
      const { org_id, outcome, status, error } = fields
      failures.count(`${org_id} ${outcome} ${status} ${error}`, fields)
    },
    dropped: (fields) => drops.count(`${fields.org_id} ${fields.reason}`, fields),
    close() {
      failures.close()
      drops.close()
    },
  }
}
