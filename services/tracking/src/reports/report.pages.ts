import { sql } from 'kysely'
import { isFiltered, namesAssets, type ReportAsk } from './report.ask.ts'
import { byLocation } from './report.by-location.ts'
import { anyOf, both, effective, found, matches, orderBy, placed, type Sql } from './report.sql.ts'

/**
 * `asset_id` of the rows of one page, of `total` in all. Which statement is best follows from what is asked and from how
 * many rows there are, both of which we know better than the planner: up to `gatherAtMost` that a filter leaves are
 * gathered and sorted; of more, an index is walked in the order asked for.
 */
export function pageOf(orgId: number, ask: ReportAsk, total: number, gatherAtMost: number): Sql {
  const { limit, offset, sort } = ask
  if (namesAssets(ask) || (isFiltered(ask) && total <= gatherAtMost))
    return sql`${gathered(orgId, ask)} order by ${orderBy(sort)} limit ${limit} offset ${offset}`
  if (sort[0]?.field === 'location_external_key') return byLocation(orgId, ask)
  return sort[0]?.field === 'asset_external_key' ? walkKeys(orgId, ask, total) : walkSeen(orgId, ask, total)
}

/** All rows, by whatever finds them with the least work; the rest of each is looked up (see `probe`). */
export function gathered(orgId: number, ask: ReportAsk): Sql {
  const conditions = both(
    sql`a.is_scanned and ${effective('a', ask.includeDeleted)}`,
    placed('p', orgId, ask),
    ask.q !== undefined && namesAssets(ask) ? matches(ask.q) : undefined,
  )
  return sql`
    with candidate as materialized (${candidates(orgId, ask)})
    select p.asset_id from candidate
    cross join lateral (
      select * from position p where p.org_id = ${orgId} and p.asset_id = candidate.asset_id offset 0) p
    cross join lateral (
      select * from asset a where a.org_id = ${orgId} and a.id = candidate.asset_id offset 0) a
    left join lateral (
      select * from location l where l.org_id = ${orgId} and l.id = p.location_id offset 0) l on true
    where ${conditions}`
}

function candidates(orgId: number, ask: ReportAsk): Sql {
  const { assetIds, assetKeys, q, includeDeleted } = ask
  if (assetIds) return sql`select distinct unnest(${[...assetIds]}::bigint[]) as asset_id`
  if (assetKeys)
    return sql`select id as asset_id from asset a
      where a.org_id = ${orgId} and ${anyOf('a.external_key', assetKeys, 'text')}`
  const where = placed('s', orgId, ask)
  if (q !== undefined && !where) return found(orgId, q, includeDeleted)
  if (q !== undefined)
    return sql`select s.asset_id from (${found(orgId, q, includeDeleted)}) f
      join asset_place s on s.org_id = ${orgId} and s.asset_id = f.asset_id where ${where}`
  return sql`select s.asset_id from asset_place s
    where ${both(sql`s.org_id = ${orgId}`, where, effective('s', includeDeleted))}`
}

/** A page in the second half is reached from the end. */
function stretch({ limit, offset }: ReportAsk, total: number) {
  if (offset <= total / 2) return { limit, offset, reversed: false }
  const rows = Math.max(0, Math.min(limit, total - offset))
  return { limit: rows, offset: total - offset - rows, reversed: true }
}

/** A condition that is tried on one row after the other, whatever the planner thinks of it. */
const probe = (from: Sql): Sql => sql`cross join lateral (select from ${from} offset 0) probed`

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

