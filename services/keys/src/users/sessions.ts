import { SESSION_TOKEN_SECONDS } from '@whereabouts/contracts/token-claims'
import type { Session } from '@whereabouts/contracts/tokens'
import { Answer } from '@whereabouts/service-kit/serve'
import type { Tx } from '../db.ts'
import type { AccessTokens } from '../tokens/access-tokens.ts'
import { hashSecret, NO_STORE, randomToken } from '../tokens/secrets.ts'
import { startChain } from '../tokens/tokens.queries.ts'
import { lockMember, type Member } from './users.queries.ts'

export type OpenedSession = { member: Member; refreshToken: string }

/** Undefined when the user is no member of the organization, or no longer. */
export async function openSession(tx: Tx, orgId: number, userId: number): Promise<OpenedSession | undefined> {
  const member = await lockMember(tx, orgId, userId)
  return member && startSession(tx, member)
}

/**
 * Starts the session's chain of refresh tokens; the access token is signed after the commit, by `sessionAnswer`. Call
 * in the transaction that has made or locked the membership.
 */
export async function startSession(tx: Tx, member: Member): Promise<OpenedSession> {
  const refreshToken = randomToken()
  await startChain(tx, { orgId: member.org_id, userId: member.id }, hashSecret(refreshToken))
  return { member, refreshToken }
}

/** Call `tokens.prepare` before the transaction. */
export async function sessionAnswer(
  tokens: AccessTokens,
  { member, refreshToken }: OpenedSession,
): Promise<Answer<{ data: Session }>> {
  const { id, org_id, role, revision } = member
  const claims = { typ: 'session', sub: String(id), org_id, role, member_revision: revision } as const
  const data: Session = {
    access_token: await tokens.sign(claims, SESSION_TOKEN_SECONDS),
    refresh_token: refreshToken,
    token_type: 'Bearer',
    expires_in: SESSION_TOKEN_SECONDS,
    user: { id, name: member.name, email: member.email, role },
    org: { id: org_id, name: member.org_name, created_at: member.org_created_at },
  }
  return new Answer({ data }, NO_STORE)
}
