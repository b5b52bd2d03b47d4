import { auditUser } from '../people/users/user-audit.ts'
import type { Db } from '../db.ts'
import { putResetLink } from '../people/password-resets/reset-links.queries.ts'
import { hashSecret, randomToken } from '../credentials/secrets.ts'
import { findUserByEmail } from '../people/users/users.queries.ts'
import { OpsError } from './failures.ts'
import { printable, type Report } from './report.ts'

/** `consoleUrl`: where people open the console; without it, the link lacks the address of the server. */
type Wanted = { email: string; consoleUrl: string | undefined }

/** A link with which a person chooses a new password, also one who belongs to several organizations. */
export async function createResetLink(db: Db, { email, consoleUrl }: Wanted): Promise<Report> {
  const user = await findUserByEmail(db, email)
  if (!user) throw new OpsError('not_found', `There is no user with the e-mail address ${printable(email)}.`)
  const token = randomToken()
  const expires_at = await db.transaction().execute(async (tx) => {
    await auditUser(tx, user.id, { action: 'reset_link.create' })
    return putResetLink(tx, { userId: user.id, tokenHash: hashSecret(token) })
  })
  // Browsers do not send the part after `#`, so that no log contains the token.
  const link = `${(consoleUrl ?? '').replace(/\/+$/, '')}/reset-password#token=${token}`
  const lines = [
    `${printable(user.name)} <${printable(user.email)}> can choose a new password with this link, once, until ${expires_at}:`,
    link,
    ...(consoleUrl === undefined ? ['Put the address of the console in front of it, see --console.'] : []),
    'It is shown this once. Give it to this person only. It ends all their sessions when it is used.',
  ]
  const { id, name } = user
  return { json: { user: { id, name, email: user.email }, link, expires_at }, text: lines.join('\n') }
}
