/**
 * What somebody would write by hand who knows the tables and asks for one organization: the same rows, tags and totals as
 * the service answers with, in one statement each, as the owner of the tables and so without row-level security. `$1` is
 * the organization.
 */

const COLUMNS = `asset.id, asset.external_key, asset.name, asset.description, asset.type, asset.metadata, asset.is_active,
  asset.valid_from, asset.valid_to, asset.created_at, asset.updated_at, asset.deleted_at`

const tagsOf = (owner: 'asset' | 'location') => `coalesce((
  select json_agg(json_build_object('id', tag.id, 'tag_type', tag.tag_type, 'value', tag.value)
                  order by tag.created_at, tag.id)
  from tag where tag.org_id = $1 and tag.${owner}_id = ${owner}.id and tag.deleted_at is null), '[]') as tags`

const EFFECTIVE = `org_id = $1 and deleted_at is null and valid_from <= now() and (valid_to is null or valid_to > now())`

export const FIND = `select ${COLUMNS}, ${tagsOf('asset')} from asset
  where org_id = $1 and id = $2 and deleted_at is null`

/** `$2` limit, `$3` offset. */
export const LIST = `
  select ${COLUMNS}, ${tagsOf('asset')}, (select count(*) from asset where ${EFFECTIVE}) as total
  from (select id from asset where ${EFFECTIVE} order by external_key, id limit $2 offset $3) as page
  join asset on asset.org_id = $1 and asset.id = page.id
  order by asset.external_key, asset.id`

/** `$2` keys, `$3` limit. */
export const BATCH = `
  select ${COLUMNS}, ${tagsOf('asset')},
         (select count(*) from asset where ${EFFECTIVE} and external_key = any($2::text[])) as total
  from asset where ${EFFECTIVE} and external_key = any($2::text[]) order by external_key, id limit $3`

/** `$2` pattern in lower case, `$3` limit. */
export const SEARCH = `
  with matching as materialized (
    select id, external_key from asset where ${EFFECTIVE} and search_text like $2
    union
    select id, external_key from asset where ${EFFECTIVE} and id in (
      select asset_id from tag
      where org_id = $1 and deleted_at is null and asset_id is not null and search_text like $2))
  select ${COLUMNS}, ${tagsOf('asset')}, (select count(*) from matching) as total
  from (select id from matching order by external_key, id limit $3) as page
  join asset on asset.org_id = $1 and asset.id = page.id
  order by asset.external_key, asset.id`

/** `$2` root, `$3` limit. Sorted by the path of names and ids from the root, the usual way. */
export const DESCENDANTS = `
  with recursive inside as (
    select id, name || chr(1) || lpad(id::text, 16, '0') as path
    from location where org_id = $1 and parent_id = $2 and deleted_at is null
    union all
    select child.id, inside.path || chr(1) || child.name || chr(1) || lpad(child.id::text, 16, '0')
    from inside join location as child
      on child.org_id = $1 and child.parent_id = inside.id and child.deleted_at is null)
  select location.id, location.external_key, location.name, location.description, location.parent_id,
         parent.external_key as parent_external_key, location.is_active, location.valid_from, location.valid_to,
         location.created_at, location.updated_at, location.deleted_at, ${tagsOf('location')},
         (select count(*) from inside) as total
  from (select id, path from inside order by path limit $3) as page
  join location on location.org_id = $1 and location.id = page.id
  left join location as parent on parent.org_id = $1 and parent.id = location.parent_id
  order by page.path`

const STATE = `insert into outbox (subject, msg_id, keep, payload, headers)
  select 'catalog.' || kind || '.' || org_id || '.' || id, gen_random_uuid(), 'last', state, '{}'`

/** `$2` key, `$3` name, `$4` value of the one tag. */
export const CREATE = `
  with created as (
    insert into asset (org_id, external_key, name) values ($1, $2, $3) returning *),
  tagged as (
    insert into tag (org_id, tag_type, value, match_value, asset_id)
    select org_id, 'rfid', $4, $4, id from created returning *),
  told as (${STATE} from (
    select 'asset' as kind, org_id, id, to_jsonb(created) as state from created
    union all select 'tag', org_id, id, to_jsonb(tagged) from tagged) as states)
  select created.*, tagged.id as tag_id, tagged.tag_type, tagged.value from created, tagged`

/** `$2` id, `$3` name. */
export const UPDATE = `
  with asset as (
    update asset set name = $3, revision = nextval('revision_seq'),
      updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
    where org_id = $1 and id = $2 and deleted_at is null returning *),
  told as (${STATE} from (select 'asset' as kind, org_id, id, to_jsonb(asset) as state from asset) as states)
  select ${COLUMNS}, ${tagsOf('asset')} from asset`
