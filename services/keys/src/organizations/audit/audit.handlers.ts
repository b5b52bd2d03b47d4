import type { AuditRow } from '@whereabouts/contracts/resources/keys/audit'
import { cursorGone, cursorOf, notACursor, seqOf } from '@whereabouts/service-kit/http/cursor'
import { ListText } from '@whereabouts/service-kit/http/send-reply'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { Db, Tenants } from '../../db.ts'
import { boundsOf, countAudit, followAudit, listAudit, type Filter, type StoredRow } from './audit.queries.ts'

/** Rows that one answer may pass over because a filter leaves them out. */
const MOST_PASSED = 5_000

export function auditHandlers({ tenants }: { tenants: Tenants }): Pick<Handlers<'keys'>, 'listAudit'> {
  return {
    async listAudit({ principal: { orgId }, query }) {
      const own = tenants.forOrg(orgId)
      const { after, limit, offset, ...filter } = query
      // Not as CSV, which has no place for the cursor.
      if (after !== undefined) return new ListText(...(await pageAfter(own, orgId, after, limit, filter)))
      const [rows, total_count] = await Promise.all([
        listAudit(own, orgId, filter, { limit, offset }),
        countAudit(own, orgId, filter),
      ])
      return { data: rows.map(toView), limit, offset, total_count }
    },
  }
}

/** The rows as JSON, and what comes with them. Throws 400 and 410. */
async function pageAfter(own: Db, orgId: number, after: string, limit: number, filter: Filter) {
  const begin = await beginning(own, orgId, after)
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const most = isFiltered ? Math.max(MOST_PASSED, limit + 1) : limit + 1
  const found = await followAudit(own, orgId, { after: begin, most, filter })
  // Read after the rows, so that a cursor is not above a row that was committed in between.
  const { removed, newest } = await boundsOf(own, orgId)
  if (begin < removed) throw cursorGone('Rows', cursorOf(orgId, removed), cursorOf(orgId, newest))
  const shown = found.rows.slice(0, limit)
  const reached = found.rows.length > limit ? shown.at(-1)?.seq : found.last
  const has_more = found.rows.length > limit || found.passed === most
  const rows = shown.map((row) => JSON.stringify(toView(row))).join(',')
  return [rows, { cursor: cursorOf(orgId, reached ?? begin), has_more }] as const
}

async function beginning(own: Db, orgId: number, after: string): Promise<number> {
  const { removed, newest, issued } = await boundsOf(own, orgId)
  if (after === 'oldest') return removed
  if (after === 'now') return newest
  const seq = seqOf(orgId, after)
  if (seq === undefined || seq > issued) throw notACursor()
  return seq
}

const toView = (row: StoredRow): AuditRow => ({
  id: row.id,
  at: row.at,
  actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  action: row.action,
  subject: { type: row.subject_type, id: row.subject_id, external_key: row.subject_key },
  changes: row.changes,
  ip: row.ip,
  request_id: row.request_id,
})
