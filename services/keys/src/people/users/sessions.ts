import { audit, changesOf } from '@whereabouts/db/outbox/audit'
import { SESSION_TOKEN_SECONDS } from '@whereabouts/contracts/resources/keys/token-claims'
import type { Session } from '@whereabouts/contracts/resources/keys/tokens'
import { Reply } from '@whereabouts/service-kit/http/serve'
import type { Attempts } from '../../attempts/attempts.ts'
import type { Tx } from '../../db.ts'
import type { AccessTokens } from '../../credentials/tokens/access-tokens.ts'
import { hashSecret, NO_STORE, randomToken } from '../../credentials/secrets.ts'
import { endChain } from '../../credentials/tokens/chains.ts'
import { lockRefreshToken, ownerOf, startChain } from '../../credentials/tokens/tokens.queries.ts'
import { lockMember, type Member } from '../../organizations/members/find-members.queries.ts'

/** How somebody signed in, for the audit. A password is not named. */
type SignInWay = 'single_sign_on'

export type OpenedSession = { member: Member; refreshToken: string; chainId: string }

/** Undefined if the user is not a member of the organization. */
export async function openSession(
  tx: Tx,
  orgId: number,
  userId: number,
  way?: SignInWay,
): Promise<OpenedSession | undefined> {
  const member = await lockMember(tx, orgId, userId)
  return member && startSession(tx, member, way)
}

/**
 * Starts the session's chain of refresh tokens. `sessionReply` signs the access token after the commit. Call in the
 * transaction that created or locked the membership.
 */
export async function startSession(tx: Tx, member: Member, way?: SignInWay): Promise<OpenedSession> {
  const refreshToken = randomToken()
  const owner = { orgId: member.org_id, userId: member.id }
  const chainId = await startChain(tx, owner, hashSecret(refreshToken))
  const self = { type: 'user', id: member.id } as const
  await audit(
    tx,
    member.org_id,
    {
      action: 'session.create',
      subject: { type: 'session', id: null, external_key: chainId },
      changes: changesOf(undefined, way && { way }),
    },
    self,
  )
  return { member, refreshToken, chainId }
}

/**
 * Ends the session of a refresh token and starts one in another organization. Undefined, with the old session
 * untouched, if the user is not a member there. `from` is the caller, if there is one. Requires the refresh token,
 * because a stolen access token is valid for an hour and must not become a session of thirty days.
 */
export async function switchSession(
  { tx, attempts }: { tx: Tx; attempts: Pick<Attempts, 'issue'> },
  refreshTokenHash: Buffer,
  orgId: number,
  from?: { orgId: number; userId: number },
): Promise<OpenedSession | 'refused' | undefined> {
  const token = await lockRefreshToken(tx, refreshTokenHash)
  if (token?.user_id == null) return 'refused' // unknown, or of an API key
  if (from && (token.user_id !== from.userId || token.org_id !== from.orgId)) return 'refused'
  if (token.is_spent) await endChain(tx, token.org_id, token.chain_id) // as for any replay
  if (token.is_spent || token.is_expired || token.is_revoked) return 'refused'
  await attempts.issue(ownerOf(token))
  const session = await openSession(tx, orgId, token.user_id)
  if (session) await endChain(tx, token.org_id, token.chain_id)
  return session
}

/** Call `tokens.prepare` before the transaction. */
export async function sessionReply(
  tokens: AccessTokens,
  { member, refreshToken, chainId }: OpenedSession,
): Promise<Reply<{ data: Session }>> {
  const { id, org_id, role, revision } = member
  const ofMember = { sub: String(id), org_id, role, member_revision: revision }
  const claims = { typ: 'session', ...ofMember, sid: chainId } as const
  const data: Session = {
    access_token: await tokens.sign(claims, SESSION_TOKEN_SECONDS),
    refresh_token: refreshToken,
    token_type: 'Bearer',
    expires_in: SESSION_TOKEN_SECONDS,
    user: { id, name: member.name, email: member.email, role },
    org: { id: org_id, name: member.org_name, created_at: member.org_created_at },
  }
  return new Reply({ data }, NO_STORE)
}
