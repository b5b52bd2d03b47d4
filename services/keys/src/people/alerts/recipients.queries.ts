import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import { emailKey } from '../../emails.ts'

type Recipient = { email: string; email_key: string; isVerified: boolean }

const recipients = (db: Db, orgId: number) =>
  db
    .selectFrom('membership')
    .innerJoin('app_user', 'app_user.id', 'membership.user_id')
    .select(['app_user.email', 'app_user.email_key'])
    .select(sql<boolean>`app_user.email_verified_at is not null`.as('isVerified'))
    .where('membership.org_id', '=', orgId)

/** Those of these addresses that are of members, as their users wrote them. */
export async function findRecipients(db: Db, orgId: number, emails: readonly string[]): Promise<Recipient[]> {
  if (emails.length === 0) return []
  return recipients(db, orgId).where('app_user.email_key', 'in', emails.map(emailKey)).execute()
}

/** More administrators than anybody mails about an alert. */
const MOST_ADMINS = 100

export function listAdmins(db: Db, orgId: number): Promise<Recipient[]> {
  return recipients(db, orgId)
    .where('membership.role', '=', 'admin')
    .orderBy('membership.created_at')
    .limit(MOST_ADMINS)
    .execute()
}
