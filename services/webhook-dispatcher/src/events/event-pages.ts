import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { Tables } from '../db.ts'
import { cursorGone, cursorOf, notACursor, seqOf } from '@whereabouts/service-kit/http/cursor'
import { readEvents, type EventRow } from './events.queries.ts'

/** Events that one answer may pass over because the filter leaves them out. */
const MOST_READ = 5_000

type Filter = { types: readonly string[] | undefined; limit: number }

export type Page = {
  rows: EventRow[]
  /** The place that the page has reached. */
  seq: number
  hasMore: boolean
}

/** Reads the events of an organization page by page. */
export type EventPages = {
  /** The first page of a request. `after` is what it sent. Throws 400 and 410. */
  first(orgId: number, after: string | undefined, filter: Filter): Promise<Page>
  /** What follows. Throws 410. */
  next(orgId: number, seq: number, filter: Filter): Promise<Page>
}

export function eventPages(tenants: Pick<TenantDatabase<Tables>, 'forOrg'>): EventPages {
  const read = async (orgId: number, after: number, { types, limit }: Filter) => {
    // One event more shows whether there is another page.
    const mostRead = types ? Math.max(MOST_READ, limit + 1) : limit + 1
    const found = await readEvents(tenants.forOrg(orgId), orgId, { after, types, most: limit + 1, mostRead })
    const { bounds, last } = found
    const rows = found.rows.slice(0, limit)
    const newest = Math.max(bounds.newest, after)
    const reached = found.read < mostRead || last === null ? newest : last
    const seq = found.rows.length > limit ? (rows.at(-1)?.seq ?? after) : reached
    return { page: { rows, seq, hasMore: seq < newest }, bounds }
  }
  const next: EventPages['next'] = async (orgId, seq, filter) => {
    const { page, bounds } = await read(orgId, seq, filter)
    if (seq < bounds.removed)
      throw cursorGone('Events', cursorOf(orgId, bounds.removed), cursorOf(orgId, bounds.newest))
    if (seq > bounds.issued) throw notACursor()
    return page
  }
  return {
    next,
    async first(orgId, after, filter) {
      if (after === undefined) return (await read(orgId, 0, filter)).page
      if (after === 'now') {
        const { bounds } = await read(orgId, Number.MAX_SAFE_INTEGER, filter)
        return { rows: [], seq: bounds.newest, hasMore: false }
      }
      const seq = seqOf(orgId, after)
      if (seq === undefined) throw notACursor()
      return next(orgId, seq, filter)
    },
  }
}

/** An event as JSON, with the keys of the contract. */
export const eventText = ({ id, type, occurred_at, recorded_at, data }: EventRow): string =>
  `${JSON.stringify({ id, type, occurred_at, recorded_at }).slice(0, -1)},"data":${data}}`
