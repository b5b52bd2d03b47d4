import { auditUser } from '../people/users/user-audit.ts'
import type { Db, UserRow } from '../db.ts'
import { putResetLink } from '../people/password-resets/reset-links.queries.ts'
import { hashSecret, randomToken } from '../credentials/secrets.ts'
import { lockUser } from '../people/users/own-sessions.queries.ts'
import { switchOff } from '../people/second-factor/second-factors.ts'
import {
  auditLink,
  findLinkedUser,
  linkSubject,
  lockSubject,
  unlinkSubjects,
} from '../people/single-sign-on/sign-on.queries.ts'
import { SignOnRefusal } from '../people/single-sign-on/sign-on-refusal.ts'
import { findUserByEmail } from '../people/users/users.queries.ts'
import { OpsError } from './failures.ts'
import { linesOf, linkTo } from './console-link.ts'
import { printable, type Report } from './report.ts'

type Wanted = { email: string; consoleUrl: string | undefined }

/** A link with which a person chooses a new password, also one who belongs to several organizations. */
export async function createResetLink(db: Db, { email, consoleUrl }: Wanted): Promise<Report> {
  const user = await userWith(db, email)
  const token = randomToken()
  const expires_at = await db.transaction().execute(async (tx) => {
    await auditUser(tx, user.id, { action: 'reset_link.create' })
    return putResetLink(tx, { userId: user.id, tokenHash: hashSecret(token) })
  })
  const link = linkTo('reset-password', { token, consoleUrl })
  const lines = [
    `${printable(user.name)} <${printable(user.email)}> can choose a new password with this link, once, until ${expires_at}:`,
    ...linesOf(link, consoleUrl),
    'It is shown this once. Give it to this person only. It ends all their sessions when it is used.',
  ]
  const { id, name } = user
  return { json: { user: { id, name, email: user.email }, link, expires_at }, text: lines.join('\n') }
}

/** For a person who has lost both the authenticator app and the recovery codes. Works without the secret of the service. */
export async function switchSecondFactorOff(db: Db, email: string): Promise<Report> {
  const { id, name, email: address } = await userWith(db, email)
  const changed = await db.transaction().execute(async (tx) => {
    const user = await lockUser(tx, id)
    if (user?.second_factor_at == null) return false
    await switchOff(tx, id)
    return true
  })
  const who = `${printable(name)} <${printable(address)}>`
  const text = changed ? `${who} now signs in with the password alone.` : `${who} has no one-time codes.`
  return { json: { user: { id, name, email: address }, changed }, text }
}

type Link = { email: string; subject: string; issuer: string | undefined }

/** For a person who cannot be found by address, because the provider does not say whether it is verified. The operator does. */
export async function linkSignOn(db: Db, { email, subject, issuer }: Link): Promise<Report> {
  if (issuer === undefined)
    throw new OpsError('usage', 'OIDC_ISSUER is not set. Name the provider with --issuer.')
  const { id, name, email: address } = await userWith(db, email)
  const who = `${printable(name)} <${printable(address)}>`
  const taken = (text: string) => new OpsError('conflict', `${text} See "user sign-on-unlink".`)
  const changed = await db.transaction().execute(async (tx) => {
    await lockSubject(tx, issuer, subject)
    const linked = await findLinkedUser(tx, issuer, subject)
    if (linked === id) return false
    if (linked !== undefined) throw taken('This subject is linked to another person.')
    await linkSubject(tx, issuer, subject, id).catch((error: unknown) => {
      throw error instanceof SignOnRefusal
        ? taken(`${who} is linked to another subject of ${printable(issuer)}.`)
        : error
    })
    await auditLink(tx, id, { from: null, to: issuer })
    return true
  })
  const text = `${who} ${changed ? 'is now' : 'was already'} linked to ${printable(issuer)}.`
  return { json: { user: { id, name, email: address }, issuer, subject, changed }, text }
}

/**
 * For a person whose subject at the provider has changed, who would be refused as somebody else with their address. Their
 * sessions go on.
 */
export async function unlinkSignOn(db: Db, email: string): Promise<Report> {
  const { id, name, email: address, email_verified_at } = await userWith(db, email)
  const issuers = await db.transaction().execute(async (tx) => {
    const unlinked = await unlinkSubjects(tx, id)
    for (const issuer of unlinked) await auditLink(tx, id, { from: issuer, to: null })
    return unlinked
  })
  const changed = issuers.length > 0
  const user = { id, name, email: address, email_verified: email_verified_at !== null }
  const lines = [
    `${printable(name)} <${printable(address)}> is ${changed ? `unlinked from ${issuers.map(printable).join(', ')}` : 'not linked to single sign-on'}.`,
    user.email_verified
      ? 'The next single sign-on links the account again, if the provider says that this address is verified.'
      : 'Single sign-on with this address is refused, because nobody has verified it here. See "user reset-link" for a password.',
  ]
  return { json: { user, issuers, changed }, text: lines.join('\n') }
}

async function userWith(db: Db, email: string): Promise<UserRow> {
  const user = await findUserByEmail(db, email)
  if (!user) throw new OpsError('not_found', `There is no user with the e-mail address ${printable(email)}.`)
  return user
}
