import { openToRoles } from '@whereabouts/db/tenant/role-access'
import { sql, type Kysely } from 'kysely'

/**
 * The JSON text of an asset, as lists show it (ADR 96). Whoever changes the asset or a tag of it deletes the text in the same
 * transaction, by triggers, so no writer can omit it. A list that lacks texts has them made. Nothing is filled here.
 *
 * A tag trigger locks the asset, which most writers of tags have locked already: texts are made under a lock that excludes it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table asset_text (
      org_id bigint not null,
      id bigint not null,
      version smallint not null,
      text text not null,
      primary key (org_id, id)
    )`.execute(db)
  await openToRoles(db, {
    asset_text: { organization: 'org_id', tenant: 'select, insert, update, delete' },
  })
  const made = (text: string) => sql.raw(text).execute(db)
  await made(`
    create function drop_asset_text() returns trigger language plpgsql set search_path from current as $$
    begin
      delete from asset_text where org_id = old.org_id and id = old.id;
      return null;
    end $$`)
  await made(`
    create function drop_text_of_tagged() returns trigger language plpgsql set search_path from current as $$
    begin
      if tg_op <> 'INSERT' and old.asset_id is not null then
        perform 1 from asset where org_id = old.org_id and id = old.asset_id for share;
        delete from asset_text where org_id = old.org_id and id = old.asset_id;
      end if;
      if tg_op <> 'DELETE' and new.asset_id is not null then
        perform 1 from asset where org_id = new.org_id and id = new.asset_id for share;
        delete from asset_text where org_id = new.org_id and id = new.asset_id;
      end if;
      return null;
    end $$`)
  await made(`create trigger asset_text_of_asset after update or delete on asset for each row
    execute function drop_asset_text()`)
  await made(`create trigger asset_text_of_tag after insert or update or delete on tag for each row
    execute function drop_text_of_tagged()`)
}
