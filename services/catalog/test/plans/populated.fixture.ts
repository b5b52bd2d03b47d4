import { sql } from 'kysely'
import { TEXT_VERSION } from '../../src/assets/texts/texts.ts'
import type { Db } from '../../src/db.ts'

/** The organization of the requests. 19 others have as many rows. */
export const ORG_ID = 500_000
const ORGANIZATIONS = 20
const SIZE = { assets: 400, locations: 200, imports: 20, lines: 20, plans: 100 }

/**
 * Fills the tables with so many rows that a sequential scan is never the best plan, and so few that statistics cover
 * all of them. So the plans are the same in each run.
 */
export async function populate(db: Db): Promise<void> {
  for (let i = 0; i < ORGANIZATIONS; i += 1) {
    const org = ORG_ID + i
    const location = sql`${org}::bigint * 10000 + i`
    await sql`
      insert into location (org_id, id, external_key, name, parent_id)
      select ${org}, ${location}, 'LOC-' || to_char(i, 'FM000'), 'Shelf ' || i,
             case when i > 0 then ${org}::bigint * 10000 + (i - 1) / 5 end
      from generate_series(0, ${SIZE.locations} - 1) as i`.execute(db)
    await sql`
      insert into asset (org_id, id, external_key, name, description, metadata, type, is_active, deleted_at)
      select ${org}, ${org}::bigint * 10000 + 1000 + i, 'ASSET-' || to_char(i, 'FM0000'), 'Forklift ' || i,
             'serial ' || md5((${org}::bigint * 10000 + i)::text), jsonb_build_object('serial', 's' || i, 'n', i), (array['asset', 'person', 'inventory'])[1 + i % 3],
             i % 7 > 0, case when i % 10 = 0 then now() end
      from generate_series(0, ${SIZE.assets} - 1) as i`.execute(db)
    await sql`
      insert into tag (org_id, id, tag_type, value, match_value, asset_id, location_id, deleted_at)
      select org_id, id + 5000, 'rfid', v, v, a, l, deleted_at
      from (select org_id, id, id as a, null::bigint as l, deleted_at, upper(md5(id::text)) as v from asset
            union all select org_id, id, null, id, deleted_at, upper(md5(id::text)) from location) as owners
      where org_id = ${org}`.execute(db)
    await sql`insert into asset_count (org_id, n)
      select ${org}, case when i % 2 = 0 then 1 else -1 end from generate_series(1, ${SIZE.assets}) as i`.execute(
      db,
    )
    await sql`
      insert into import (org_id, id, resource, dry_run, state, columns, file_id)
      select ${org}, ${org}::bigint * 100 + i, 'assets', i % 2 = 0, 'done', '{}', ${org}::bigint * 100 + i
      from generate_series(1, ${SIZE.imports}) as i`.execute(db)
    await sql`
      insert into import_line (org_id, file_id, line, size, external_key, cells)
      select org_id, file_id, line, 10, 'KEY-' || line, '{}'
      from import, generate_series(1, ${SIZE.lines}) as line where org_id = ${org}`.execute(db)
    await sql`
      insert into import_row (org_id, import_id, line, outcome, external_key, changes, errors)
      select org_id, id, line, 'created', 'KEY-' || line, '[]', '[]'
      from import, generate_series(1, ${SIZE.lines}) as line where org_id = ${org}`.execute(db)
    await sql`
      insert into import_fact (org_id, import_id, kind, key, value)
      select org_id, id, 'thing', 'KEY-' || line, '{}'
      from import, generate_series(1, ${SIZE.lines}) as line where org_id = ${org}`.execute(db)
    await sql`
      insert into floor_plan (org_id, place, zones, readers, version)
      select ${org}, case when i = 0 then 0 else ${location} end, '[]', '[]', 1
      from generate_series(0, ${SIZE.plans} - 1) as i`.execute(db)
    await sql`
      insert into floor_image (org_id, hash, media_type, width, height, bytes)
      select ${org}, md5(i::text), 'image/png', 1, 1, '' from generate_series(1, ${SIZE.plans}) as i`.execute(
      db,
    )
  }
  await sql`insert into asset_text (org_id, id, version, text) select org_id, id, ${TEXT_VERSION}, '{}' from asset where org_id > ${ORG_ID}`.execute(
    db,
  )
  await sql`
    insert into kept_answer (org_id, caller, key, fingerprint, answer, created_at)
    select ${ORG_ID}::bigint + i % ${ORGANIZATIONS}::int, 'user 1', 'key ' || i, '', repeat('x', 200), now() - i * interval '10 seconds'
    from generate_series(0, 9999) as i`.execute(db)
  await sql`insert into usage_limit (org_id, name, value)
    select ${ORG_ID}::bigint + i, name, 1000000 from usage_limit, generate_series(0, 499) as i where org_id = 0`.execute(
    db,
  )
  await sql`insert into usage (org_id, name, n) select org_id, name, 1 from usage_limit where org_id > 0`.execute(
    db,
  )
  await sql`vacuum analyze`.execute(db)
}
