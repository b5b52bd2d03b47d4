import { SESSION_TOKEN_SECONDS } from '@whereabouts/contracts/token-claims'
import type { Session } from '@whereabouts/contracts/tokens'
import { Answer, type Handlers } from '@whereabouts/service-kit/serve'
import type { Db, Tx } from '../db.ts'
import { emailTaken, invalidLogin, invalidRefreshToken, tooManyAttempts } from '../errors.ts'
import { insertOrg } from '../orgs/orgs.queries.ts'
import { enqueueOrgState } from '../orgs/orgs.state.ts'
import type { AccessTokens } from '../tokens/access-tokens.ts'
import { hashSecret, NO_STORE, randomToken } from '../tokens/secrets.ts'
import { refusalOrThrottle, type Throttle } from '../tokens/throttle.ts'
import { lockRefreshToken, revokeChain, startChain } from '../tokens/tokens.queries.ts'
import { rotateRefreshToken } from '../tokens/rotation.ts'
import { emailKey } from './emails.ts'
import type { PasswordHash, Passwords } from './passwords.ts'
import {
  findFirstMembership,
  findMember,
  findUserByEmail,
  insertMembership,
  insertUser,
  type Member,
} from './users.queries.ts'

export type UserDeps = {
  db: Db
  passwords: Passwords
  throttle: Throttle
  accessTokens: AccessTokens
  /** Called after a commit that put something into the outbox. */
  onChange: () => void
}

type UserOperation = 'signUp' | 'logIn' | 'refreshSession' | 'logOut'

export function userHandlers(deps: UserDeps): Pick<Handlers<'keys'>, UserOperation> {
  const { db, passwords, throttle, onChange } = deps

  return {
    async signUp({ body, clientAddress }) {
      if (await findUserByEmail(db, body.email))
        throw refusalOrThrottle(throttle, `signup|${clientAddress}`, emailTaken)
      const { org_name, name, email } = body
      const user = { name, email, ...(await passwords.hash(body.password)) }
      await deps.accessTokens.prepare()
      const registered = await db.transaction().execute(async (tx) => {
        const member = await register(tx, org_name, user)
        return { member, refreshToken: await openSession(tx, member) }
      })
      onChange()
      return sessionAnswer(deps.accessTokens, registered.member, registered.refreshToken)
    },

    async logIn({ body, clientAddress }) {
      // A guess is paid for before it is checked, so that a burst of parallel guesses cannot slip through.
      const guesser = `login|${clientAddress}|${emailKey(body.email)}`
      const waitSeconds = throttle.take(guesser)
      if (waitSeconds !== undefined) throw tooManyAttempts(waitSeconds)
      const user = await findUserByEmail(db, body.email)
      const right = await passwords.matches(body.password, user)
      const member = right && user ? await findFirstMembership(db, user.id) : undefined
      if (!member) throw invalidLogin()
      throttle.giveBack(guesser)
      await deps.accessTokens.prepare()
      const refreshToken = await db.transaction().execute((tx) => openSession(tx, member))
      return sessionAnswer(deps.accessTokens, member, refreshToken)
    },

    async refreshSession({ body }) {
      await deps.accessTokens.prepare()
      const rotated = await rotateRefreshToken(db, body.refresh_token, (tx, chain) =>
        chain.user_id === null ? undefined : findMember(tx, chain.org_id, chain.user_id),
      )
      if (!rotated) throw invalidRefreshToken()
      return sessionAnswer(deps.accessTokens, rotated.owner, rotated.refreshToken)
    },

    // An unknown token has no session to end: the caller's wish is fulfilled, and nothing is told about tokens.
    async logOut({ body }) {
      await db.transaction().execute(async (tx) => {
        const token = await lockRefreshToken(tx, hashSecret(body.refresh_token))
        if (token?.user_id != null) await revokeChain(tx, token.org_id, token.chain_id)
      })
      return undefined
    },
  }
}

type NewUser = { name: string; email: string } & PasswordHash

/** An organization with its first administrator. Throws `emailTaken`. */
async function register(tx: Tx, orgName: string, user: NewUser): Promise<Member> {
  const org = await insertOrg(tx, orgName)
  const id = await insertUser(tx, user)
  await insertMembership(tx, org.id, id, 'admin')
  await enqueueOrgState(tx, org)
  const { name, email } = user
  return {
    id,
    name,
    email,
    role: 'admin',
    org_id: org.id,
    org_name: org.name,
    org_created_at: org.created_at,
  }
}

/** Starts the session's chain; the access token is signed after the commit. */
async function openSession(tx: Tx, { org_id, id }: Member): Promise<string> {
  const refreshToken = randomToken()
  await startChain(tx, { orgId: org_id, userId: id }, hashSecret(refreshToken))
  return refreshToken
}

async function sessionAnswer(
  tokens: AccessTokens,
  member: Member,
  refreshToken: string,
): Promise<Answer<{ data: Session }>> {
  const claims = { typ: 'session', sub: String(member.id), org_id: member.org_id, role: member.role } as const
  const data: Session = {
    access_token: await tokens.sign(claims, SESSION_TOKEN_SECONDS),
    refresh_token: refreshToken,
    token_type: 'Bearer',
    expires_in: SESSION_TOKEN_SECONDS,
    user: { id: member.id, name: member.name, email: member.email, role: member.role },
    org: { id: member.org_id, name: member.org_name, created_at: member.org_created_at },
  }
  return new Answer({ data }, NO_STORE)
}
