import pg from 'pg'

/** Inserts locations, assets and tags of one organization. */
export async function fillCatalog(owner: pg.Client, orgId: number, assets: number): Promise<void> {
  await owner.query(LOCATIONS, [orgId, Math.ceil(assets / 40)])
  await owner.query(ASSETS, [orgId, assets])
  await owner.query(TAGS, [orgId, assets, Math.ceil(assets * 1.5)])
}

/** A tree of one root, eight locations in each, five levels deep when there are 5 000. */
const LOCATIONS = `
  with minted as materialized (select i, mint_id() as id from generate_series(0, $2::int - 1) as i)
  insert into location (org_id, id, external_key, name, parent_id)
  select $1::bigint, minted.id, 'LOC-' || to_char(minted.i, 'FM00000000'),
         (array['Hall', 'Aisle', 'Shelf', 'Dock', 'Room'])[1 + minted.i % 5] || ' ' || minted.i, parent.id
  from minted left join minted as parent on minted.i > 0 and parent.i = (minted.i - 1) / 8`

/** Common words and a unique serial number. One of fifty is deleted or expired. */
const ASSETS = `
  insert into asset (org_id, external_key, name, description, type, metadata, is_active, valid_from, valid_to, deleted_at)
  select $1::bigint, 'ASSET-' || to_char(i, 'FM00000000'),
         (array['Forklift', 'Pallet', 'Drill', 'Trolley', 'Pump', 'Laptop', 'Crate', 'Ladder'])[1 + i % 8] || ' ' || i,
         'Serial ' || upper(substr(md5(i::text), 1, 10)) || ', ' ||
           (array['bought with the building', 'on loan', 'Euro pallet, wood, 1200 by 800 mm'])[1 + i % 3],
         (array['asset', 'asset', 'asset', 'inventory', 'person'])[1 + i % 5],
         jsonb_build_object('batch', i % 40, 'supplier', 'Example GmbH'), i % 10 <> 0,
         now() - interval '1 year' + i * interval '1 second',
         case when i % 100 = 7 then now() - interval '1 day' when i % 10 = 3 then now() + interval '1 year' end,
         case when i % 100 = 57 then now() end
  from generate_series(1, $2::int) as i`

/** Two of three assets have one tag, the others two, up to the number of tags. Deleted assets have deleted tags. */
const TAGS = `
  with owners as (
    select id, deleted_at, row_number() over (order by external_key, id) as n from asset where org_id = $1::bigint)
  insert into tag (org_id, tag_type, value, match_value, asset_id, deleted_at)
  select $1::bigint, 'rfid', v, v, owners.id, owners.deleted_at
  from generate_series(1, $3::int) as i
  join owners on owners.n = 1 + (i - 1) % $2::int
  cross join lateral (select upper(substr(md5('tag ' || i), 1, 24)) as v) as made`
