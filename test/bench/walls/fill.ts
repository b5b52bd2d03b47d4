import type pg from 'pg'

/** Organizations that are measured in turn, all of one size. */
export const ORGS = Array.from({ length: 8 }, (_, i) => 1_000 + i)
/** Of each organization. */
const ASSETS = 2_000
const LOCATIONS = 50
export const KEYS = 40

async function run(owner: pg.Client, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await owner.query(statement)
}

const orgs = `unnest('{${ORGS.join()}}'::bigint[]) as o (org)`

/** Fills the schema as its owner: scanned assets, and a reader with antennas. */
export const fillTracking = (owner: pg.Client): Promise<void> =>
  run(owner, [
    `insert into location (org_id, id, revision, external_key, name)
     select org, org * 1000000 + 500000 + i, 1, 'LOC-' || i, 'Shelf ' || i from ${orgs}, generate_series(0, ${LOCATIONS} - 1) i`,
    `insert into asset (org_id, id, revision, external_key, name, valid_from)
     select org, org * 1000000 + i, 1, 'ASSET-' || i, 'Forklift ' || i, now() - interval '1 year'
     from ${orgs}, generate_series(0, ${ASSETS} - 1) i`,
    `update position set minute = date_trunc('minute', now()) - interval '1 hour', observed_at = now() - interval '1 hour',
       location_id = org_id * 1000000 + 500000 + asset_id % ${LOCATIONS}, dwell_started_at = now() - interval '2 hours'`,
    `insert into reader (org_id, id, reader_key, name, format)
     select org, org * 1000000 + i, 'gate-' || i, 'Gate ' || i, 'canonical' from ${orgs}, generate_series(0, 19) i`,
    'vacuum analyze',
  ])

/** Fills the schema as its owner: an administrator, members and keys. `hash` is that of the secret of all keys. */
export const fillKeys = (owner: pg.Client, hash: Buffer): Promise<void> =>
  run(owner, [
    `insert into org (id, name) select org, 'Org ' || org from ${orgs}`,
    `insert into app_user (id, name, email, email_key, password_hash, password_salt, password_memory_kib, password_passes, password_parallelism)
     select org * 100 + i, 'User ' || i, org || '-' || i || '@example.com', org || '-' || i || '@example.com', '', '', 1, 1, 1
     from ${orgs}, generate_series(0, 19) i`,
    `insert into membership (org_id, user_id, role) select org, org * 100 + i, 'admin' from ${orgs}, generate_series(0, 19) i`,
    `insert into api_key (org_id, id, jti, name, scopes, secret_hash)
     select org, org * 1000 + i, ('00000000-0000-4000-8000-' || lpad((org * 1000 + i)::text, 12, '0'))::uuid, 'Key ' || i,
       '{assets:read}', '\\x${hash.toString('hex')}' from ${orgs}, generate_series(0, ${KEYS} - 1) i`,
    'vacuum analyze',
  ])
