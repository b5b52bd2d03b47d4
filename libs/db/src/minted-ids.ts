import { sql, type Kysely, type QueryExecutorProvider } from 'kysely'

/** Each service mints ids from its own share of the numbers, so that an id is unique across all resource types. */
export const idShares = { keys: 0, catalog: 1, tracking: 2, 'webhook-dispatcher': 3 } as const

/**
 * Creates `mint_id()` in the role's schema, for use as `id bigint default mint_id()`.
 *
 * An id has 3 bits of the share and 50 bits of a keyed permutation of a sequence. It is unique because the sequence
 * is, and it shows neither order nor counts. The permutation is a four-round Feistel network over two halves of 25
 * bits with SHA-256 as round function. PostgreSQL's own hash functions may change between major versions, and a
 * changed permutation would mint an id twice. For the same reason the key, which is created here, must never change.
 * Random ids would need a retry in every insert: of a hundred million, four collide.
 */
export async function createMintedIds(db: Kysely<unknown>, share: number): Promise<void> {
  await sql`create sequence id_sequence as bigint minvalue 1 maxvalue 1125899906842623`.execute(db)
  await sql`create table id_key (only_row boolean primary key default true check (only_row), secret bytea not null)`.execute(
    db,
  )
  await sql`insert into id_key (secret) values (sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')))`.execute(
    db,
  )
  await sql
    .raw(
      `
    create function mint_id() returns bigint language plpgsql volatile as $$
    declare
      n bigint := nextval('id_sequence');
      k bytea := (select secret from id_key);
      l bigint := n >> 25;
      r bigint := n & 33554431;
      f bigint;
    begin
      for round in 1..4 loop
        f := ('x' || substr(encode(sha256(k || int4send(round) || int8send(r)), 'hex'), 1, 7))::bit(28)::bigint & 33554431;
        select r, l # f into l, r;
      end loop;
      n := (${share}::bigint << 50) | (l << 25) | r;
      if n = 0 then return mint_id(); end if; -- ids begin at 1; one value of the whole space is skipped
      return n;
    end $$`,
    )
    .execute(db)
}

/**
 * Creates the sequence for `revision`. It is drawn under the row lock of an entity, so it grows with each change of the
 * entity.
 */
export async function createRevisions(db: Kysely<unknown>): Promise<void> {
  await sql`create sequence revision_seq as bigint`.execute(db)
}

/** Sequence values per millisecond since 1970: more than the ids and revisions that are drawn in a millisecond. */
const PER_MS = 100

/**
 * For a database that was restored from a backup, in the role's schema: moves ids and revisions past all that were
 * issued since the backup, so that none is issued twice. It uses the clock, because nobody knows how many were
 * issued: a later restore moves them further, from whichever backup.
 */
export async function skipIssued(db: QueryExecutorProvider): Promise<void> {
  await sql`
    select setval(c.oid::regclass, greatest(
      coalesce(pg_sequence_last_value(c.oid::regclass), 1),
      (extract(epoch from clock_timestamp()) * 1000)::bigint * ${PER_MS}::bigint))
    from pg_class c
    where c.relkind = 'S' and c.relnamespace = current_schema()::regnamespace
      and c.relname in ('id_sequence', 'revision_seq', 'audit_seq')`.execute(db)
}
