import { hasText } from '@whereabouts/db/sql-conditions'
import { sql } from 'kysely'
import type { ApiKeyRow, Db, OrgRow } from '../db.ts'
import { emailKey } from '../emails.ts'

/** Statements over all organizations, for operators. */

export type OrgSummary = Pick<OrgRow, 'id' | 'name' | 'created_at' | 'subscription_ends_at'> & {
  /** E-mail addresses. */
  admins: string[]
  /** Rows that were erased until now, by service; null if it was not deleted. */
  deleting: { since: string; erased: Record<string, number> } | null
}

const SUMMARY = sql`id, name, created_at, subscription_ends_at, array(
  select u.email from membership m join app_user u on u.id = m.user_id
  where m.org_id = org.id and m.role = 'admin' order by u.email) as admins,
  (select jsonb_build_object('since', d.deleted_at, 'erased', d.erased) from deleted_org d
    where d.id = org.id and org.deleted_at is not null) as deleting`

type Search = { q: string | undefined; limit: number; offset: number }

/** By name, then id. `q` is a literal part of the name or of a member's e-mail address, in any case. */
export async function listOrgs(db: Db, { q, limit, offset }: Search): Promise<OrgSummary[]> {
  const { rows } = await sql<OrgSummary>`
    select ${SUMMARY} from org where ${matches(q)} order by lower(name), id limit ${limit} offset ${offset}`.execute(
    db,
  )
  return rows
}

/** Those with this whole name, in any case, by id. */
export async function listOrgsNamed(db: Db, name: string, limit: number): Promise<OrgSummary[]> {
  const { rows } = await sql<OrgSummary>`
    select ${SUMMARY} from org where lower(name) = lower(${name}) and deleted_at is null order by id limit ${limit}`.execute(
    db,
  )
  return rows
}

export async function countOrgs(db: Db, q: string | undefined): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) from org where ${matches(q)}`.execute(db)
  return rows[0]?.count ?? 0
}

const matches = (q: string | undefined) =>
  q === undefined
    ? sql<boolean>`true`
    : sql<boolean>`(${hasText(q, ['name'])} or exists (
        select from membership m join app_user u on u.id = m.user_id
        where m.org_id = org.id and strpos(u.email_key, ${emailKey(q)}) > 0))`

/** By id (a number) or `jti` (a UUID), including revoked keys. */
export function findAnyKey(db: Db, key: number | string): Promise<ApiKeyRow | undefined> {
  return db
    .selectFrom('api_key')
    .selectAll()
    .where(typeof key === 'number' ? 'id' : 'jti', '=', key)
    .executeTakeFirst()
}

export type MembershipOfEmail = {
  user_id: number
  user_name: string
  org_id: number
  org_name: string
  role: string
}

/** The memberships of the user with this address; none if there is no user. */
export function listMembershipsOfEmail(db: Db, email: string): Promise<MembershipOfEmail[]> {
  return db
    .selectFrom('app_user')
    .innerJoin('membership', 'membership.user_id', 'app_user.id')
    .innerJoin('org', 'org.id', 'membership.org_id')
    .select(['app_user.id as user_id', 'app_user.name as user_name', 'membership.role'])
    .select(['org.id as org_id', 'org.name as org_name'])
    .where('email_key', '=', emailKey(email))
    .orderBy('org.id')
    .limit(20)
    .execute()
}
