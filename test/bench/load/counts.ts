/**
 * What the triggers of `asset` would have written, of the current schema. The other side of a comparison may lack the
 * table.
 */
export const countsOf = (isCounted: string): string => `do $$ begin
  if to_regclass('asset_count') is not null then
    insert into asset_count (org_id, n) select org_id, count(*) from asset where ${isCounted} group by org_id;
  end if;
end $$`
