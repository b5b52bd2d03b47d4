/**
 * Hand-written statements for one organization with the same rows and totals as the service. `$1` is the organization,
 * `$2` and `$3` of a list are its limit and offset.
 */

const LOCATION_KEY = 'case when l.deleted_at is null then l.external_key end'
const IN_WINDOW = (alias: string, at: string) =>
  `${alias}.valid_from <= ${at} and (${alias}.valid_to is null or ${alias}.valid_to > ${at})`
const LISTED = `p.org_id = $1 and p.minute > '-infinity' and p.deleted_at is null and ${IN_WINDOW('p', 'now()')}`
const ASSET_AND_PLACE = `
  join asset a on a.org_id = $1 and a.id = p.asset_id
  left join location l on l.org_id = $1 and l.id = p.location_id`
const COLUMNS = `p.asset_id, a.external_key as asset_external_key, p.location_id, ${LOCATION_KEY} as location_external_key,
  a.deleted_at as asset_deleted_at, p.observed_at as asset_last_seen, p.dwell_started_at,
  floor(extract(epoch from p.observed_at - p.dwell_started_at))::bigint as dwell_seconds`

/** The order of a list, and the joins that it needs in addition to `position p`. */
type Order = { by: string; join?: string }

const LAST_SEEN = { by: 'p.observed_at desc, p.asset_id' }
export const LONGEST_AGO = { by: 'p.observed_at, p.asset_id desc' }
export const ASSET_KEY = { by: 'a.external_key, p.asset_id', join: ASSET_AND_PLACE }
export const ASSET_KEY_DOWN = { by: 'a.external_key desc, p.asset_id desc', join: ASSET_AND_PLACE }
export const PLACE_KEY = { by: `${LOCATION_KEY} nulls last, p.asset_id`, join: ASSET_AND_PLACE }
export const PLACE_KEY_DOWN = { by: `${LOCATION_KEY} desc nulls last, p.asset_id`, join: ASSET_AND_PLACE }
export const PLACE_THEN_SEEN = {
  by: `${LOCATION_KEY} nulls last, p.observed_at desc, p.asset_id`,
  join: ASSET_AND_PLACE,
}

/** A page of the report. `where` uses `p` and the tables of `join`; its parameters begin with `$4`. */
export const report = (where = 'true', { by, join = '' }: Order = LAST_SEEN, counts = ''): string => `
  select ${COLUMNS}, (select count(*) from position p ${counts} where ${LISTED} and ${where}) as total
  from (
    select p.asset_id from position p ${join || counts} where ${LISTED} and ${where}
    order by ${by} limit $2 offset $3
  ) page
  join position p on p.org_id = $1 and p.asset_id = page.asset_id ${ASSET_AND_PLACE}
  order by ${by}`

export const AT_PLACES = 'p.location_id = any($4::bigint[])'
export const THESE = 'p.asset_id = any($4::bigint[])'
/** `$4` is a location; its sub-locations count too. */
export const INSIDE = `p.location_id in (
  with recursive inside as (
    select $4::bigint as id
    union all
    select child.id from inside join catalog.location as child
      on child.org_id = $1 and child.parent_id = inside.id and child.deleted_at is null)
  select id from inside)`
/** `$4` is a pattern in lower case. */
export const MATCHING = `p.asset_id in (
  select m.id from asset m where m.org_id = $1 and m.is_scanned and m.search_text like $4
  union
  select t.asset_id from tag t
  where t.org_id = $1 and t.deleted_at is null and t.asset_id is not null and t.search_text like $4)`
/** `$4` are keys of assets. */
export const THESE_KEYS = `p.asset_id in (select k.id from asset k where k.org_id = $1 and k.external_key = any($4::text[]))`
export const SOMEWHERE = `p.location_id is not null and not exists (
  select from location g where g.org_id = $1 and g.id = p.location_id and g.deleted_at is not null)`
/** `$4` are keys of locations. */
export const AT_KEYS = `p.location_id in (
  select k.id from location k where k.org_id = $1 and k.external_key = any($4::text[]) and k.deleted_at is null)`

/** The report at the time `$4`. `where` uses `a` and the read `p`; its parameters begin with `$5`. */
export const past = (where = 'true'): string => `
  with p as materialized (
    select a.id as asset_id, a.external_key, a.deleted_at, p.observed_at, p.location_id
    from asset a cross join lateral (
      select s.observed_at, s.location_id from scan s
      where s.org_id = $1 and s.asset_id = a.id and s.minute <= $4::timestamptz and s.observed_at <= $4::timestamptz
      order by s.minute desc limit 1) p
    where a.org_id = $1 and a.is_scanned and ${IN_WINDOW('a', '$4::timestamptz')}
      and (a.deleted_at is null or a.deleted_at > $4::timestamptz) and ${where})
  select p.asset_id, p.external_key, p.location_id, ${LOCATION_KEY}, p.deleted_at, p.observed_at,
         (select count(*) from p) as total
  from p left join location l on l.org_id = $1 and l.id = p.location_id
  order by p.observed_at desc, p.asset_id limit $2 offset $3`

/** A page of the history of asset `$4`, from `$5` to `$6`. */
export const HISTORY = `
  select s.observed_at, s.location_id, ${LOCATION_KEY} as key,
         floor(extract(epoch from s.observed_at - (
           select b.observed_at from scan b where b.org_id = $1 and b.asset_id = $4 and b.minute < s.minute
           order by b.minute desc limit 1)))::bigint as duration_seconds,
         (select count(*) from scan s where s.org_id = $1 and s.asset_id = $4 and s.minute between $5 and $6) as total
  from (
    select minute from scan s where s.org_id = $1 and s.asset_id = $4 and s.minute between $5 and $6
    order by minute desc limit $2 offset $3
  ) page
  join scan s on s.org_id = $1 and s.asset_id = $4 and s.minute = page.minute
  left join location l on l.org_id = $1 and l.id = s.location_id
  order by s.minute desc`

/** Assets of catalog, with their tags and locations; `$4` are keys of locations. */
export const LEGACY_ASSETS_AT = `
  with listed as materialized (
    select c.id, c.external_key, l.external_key as current_location
    from tracking.location l
    join asset_place s on s.org_id = $1 and s.location_id = l.id
    join catalog.asset c on c.org_id = $1 and c.id = s.asset_id
    where l.org_id = $1 and l.external_key = any($4::text[]) and l.deleted_at is null and c.deleted_at is null
      and ${IN_WINDOW('c', 'now()')})
  select c.*, page.current_location, (select count(*) from listed) as total, (
    select json_agg(t) from catalog.tag t where t.org_id = $1 and t.asset_id = c.id and t.deleted_at is null) as tags
  from (select * from listed order by external_key, id limit $2 offset $3) page
  join catalog.asset c on c.org_id = $1 and c.id = page.id
  order by c.external_key, c.id`
