import { sql } from 'kysely'
import { isFiltered, namesAssets, type ReportAsk } from './report.ask.ts'
import { byLocation, walkLocations } from './report.by-location.ts'
import type { Counted } from './report.counts.ts'
import { gathered } from './report.gathered.ts'
import { both, effective, matches, orderBy, placed, probe, type Sql } from './report.sql.ts'

/**
 * Up to `gatherAtMost` rows that a filter leaves are gathered and sorted; of more, an index is walked in the order asked
 * for. No more than `walkAtMost` are skipped one by one where there is another way.
 */
export type Bounds = { gatherAtMost: number; walkAtMost: number }

/**
 * Statements for the `asset_id` of the rows of one page, to be tried until one has all of them. Which is best follows
 * from what is asked and from how many rows there are, both of which we know better than the planner.
 */
export function pagesOf(
  orgId: number,
  ask: ReportAsk,
  { total, assetIds }: Counted,
  { gatherAtMost, walkAtMost }: Bounds,
): Sql[] {
  const { limit, offset, sort } = ask
  const page = (rows: Sql) => sql`${rows} order by ${orderBy(sort)} limit ${limit} offset ${offset}`
  if (assetIds) return [page(gathered(orgId, { ...ask, q: undefined, assetIds: assetIds.map(Number) }))]
  if (namesAssets(ask) || (isFiltered(ask) && total <= gatherAtMost)) return [page(gathered(orgId, ask))]
  if (sort[0]?.field === 'asset_last_seen') return [walkSeen(orgId, ask, total)]
  if (sort[0]?.field === 'asset_external_key') return [walkKeys(orgId, ask, total)]
  const isNear = isNearByLocation(ask, walkAtMost)
  return isNear ? [walkLocations(orgId, ask), byLocation(orgId, ask)] : [byLocation(orgId, ask)]
}

const isNearByLocation = ({ limit, offset, sort }: ReportAsk, walkAtMost: number): boolean =>
  sort.length === 1 && offset + limit <= walkAtMost

/** What is at each location is counted for the page itself, so that counting it all beforehand would be once too often. */
export const isCountedByPage = (ask: ReportAsk, { walkAtMost }: Bounds): boolean =>
  !isFiltered(ask) && ask.sort[0]?.field === 'location_external_key' && !isNearByLocation(ask, walkAtMost)

/** A page in the second half is reached from the end. */
function stretch({ limit, offset }: ReportAsk, total: number) {
  if (offset <= total / 2) return { limit, offset, reversed: false }
  const rows = Math.max(0, Math.min(limit, total - offset))
  return { limit: rows, offset: total - offset - rows, reversed: true }
}

function walkSeen(orgId: number, ask: ReportAsk, total: number): Sql {
  const { limit, offset, reversed } = stretch(ask, total)
  const order = orderBy(ask.sort, { reversed })
  const walk = (deleted: Sql, rows: number, skipped: number) => sql`
    select p.* from position p ${beside(orgId, ask)}
    where ${both(
      sql`p.org_id = ${orgId} and p.minute > '-infinity'`,
      deleted,
      effective('p', true),
      placed('p', orgId, ask),
    )}
    order by ${order} limit ${rows} offset ${skipped}`
  const live = sql`p.deleted_at is null`
  if (!ask.includeDeleted) return sql`select p.asset_id from (${walk(live, limit, offset)}) p`
  const upTo = offset + limit // whichever of the two it is that they are all from
  return sql`
    select p.asset_id from (
      (${walk(live, upTo, 0)}) union all (${walk(sql`p.deleted_at is not null`, upTo, 0)})
    ) p ${beside(orgId, { ...ask, q: undefined })}
    order by ${order} limit ${limit} offset ${offset}`
}

/** What is searched in, and what the fields behind the first one are sorted by. */
const beside = (orgId: number, { sort, q }: ReportAsk): Sql => sql`
  ${
    q === undefined
      ? sql``
      : probe(sql`asset a where a.org_id = ${orgId} and a.id = p.asset_id and ${matches(q)}`)
  }
  ${
    sort.length === 1
      ? sql``
      : sql`join asset a on a.org_id = ${orgId} and a.id = p.asset_id
          left join location l on l.org_id = ${orgId} and l.id = p.location_id`
  }`

function walkKeys(orgId: number, ask: ReportAsk, total: number): Sql {
  const { limit, offset, reversed } = stretch(ask, total)
  const where = placed('s', orgId, ask)
  return sql`
    select a.id as asset_id from asset a
    ${where ? probe(sql`asset_place s where s.org_id = ${orgId} and s.asset_id = a.id and ${where}`) : sql``}
    ${ask.sort.length === 1 ? sql`` : seenBeside(orgId)}
    where ${both(
      sql`a.org_id = ${orgId} and a.is_scanned`,
      effective('a', ask.includeDeleted),
      ask.q === undefined ? undefined : matches(ask.q),
    )}
    order by ${orderBy(ask.sort, { id: 'a.id', reversed })} limit ${limit} offset ${offset}`
}

const seenBeside = (orgId: number): Sql => sql`
  join position p on p.org_id = ${orgId} and p.asset_id = a.id
  left join location l on l.org_id = ${orgId} and l.id = p.location_id`
