import { changesOf } from '@whereabouts/db/outbox/audit'
import { addressBlock } from '@whereabouts/service-kit/limits/address-block'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import { invalidRefreshToken } from '@whereabouts/service-kit/errors/errors'
import { DEVICE_HEADER } from '../../attempts/known-devices.ts'
import { emailTaken, invalidLogin, orgNotFound } from '../../errors.ts'
import { userOf } from '../../organizations/members/acting-member.ts'
import { findFirstMembership, findMember } from '../../organizations/members/find-members.queries.ts'
import { rotateRefreshToken } from '../../credentials/tokens/rotation.ts'
import { hashSecret } from '../../credentials/secrets.ts'
import { endChain } from '../../credentials/tokens/chains.ts'
import { lockRefreshToken } from '../../credentials/tokens/tokens.queries.ts'
import { writeProof } from '../mailboxes/write-proof.ts'
import { currentUser } from './current-user.ts'
import { auditSessionEnd, auditUser } from './user-audit.ts'
import { lockUser, updateName } from './own-sessions.queries.ts'
import { checkPassword, isUnchanged } from './password-check.ts'
import { refuseEmailAsPassword } from './password-rules.ts'
import { register } from './registration.ts'
import { openSession, sessionReply, startSession, switchSession } from './sessions.ts'
import type { UserDeps } from './user-deps.ts'
import { findUserByEmail } from './users.queries.ts'

type UserOperation =
  | 'signUp'
  | 'logIn'
  | 'refreshSession'
  | 'logOut'
  | 'getCurrentUser'
  | 'updateCurrentUser'
  | 'switchOrg'

export function userHandlers(deps: UserDeps): Pick<Handlers<'keys'>, UserOperation> {
  const { db, passwords, attempts, accessTokens, devices, mails, onChange } = deps

  /** An unusable token costs the address an attempt, because anybody can make up tokens. */
  const refuseToken = async (clientAddress: string): Promise<never> => {
    await attempts.failed(clientAddress)
    throw invalidRefreshToken()
  }

  const switchReply = async (outcome: Awaited<ReturnType<typeof switchSession>>, clientAddress: string) => {
    onChange()
    if (outcome === 'refused') return refuseToken(clientAddress)
    if (!outcome) throw orgNotFound()
    return sessionReply(accessTokens, outcome)
  }

  return {
    async signUp({ body, clientAddress }) {
      await attempts.admit(clientAddress)
      refuseEmailAsPassword('password', body.password, body.email)
      if (await findUserByEmail(db, body.email)) throw emailTaken()
      const { org_name, name, email } = body
      const user = { name, email, ...(await passwords.hash(addressBlock(clientAddress), body.password)) }
      await accessTokens.prepare()
      const session = await db.transaction().execute(async (tx) => {
        const member = await register(tx, org_name, user)
        if (mails.isConfigured)
          await writeProof(tx, mails, { template: 'verification', userId: member.id, to: email })
        return startSession(tx, member)
      })
      onChange()
      const {
        body: { data },
        headers,
      } = await sessionReply(accessTokens, session)
      return new Reply({ data: { ...data, mail: mails.isConfigured ? 'sent' : 'not configured' } }, headers)
    },

    async logIn({ body, headers, clientAddress }) {
      await attempts.admit(clientAddress)
      const device = headers[DEVICE_HEADER]?.toString()
      const user = await checkPassword(deps, { ...body, clientAddress, device })
      const wanted = body.org_id === undefined ? undefined : await findMember(db, body.org_id, user.id)
      const member = wanted ?? (await findFirstMembership(db, user.id))
      if (!member) throw invalidLogin()
      await accessTokens.prepare()
      const session = await db.transaction().execute(async (tx) => {
        const now = await lockUser(tx, user.id)
        if (!isUnchanged(now, user)) return undefined
        return openSession(tx, member.org_id, user.id)
      })
      if (!session) throw invalidLogin() // also if removed in between
      const reply = await sessionReply(accessTokens, session)
      return device === undefined
        ? reply
        : new Reply(reply.body, { ...reply.headers, [DEVICE_HEADER]: devices.tokenFor(user) })
    },

    async refreshSession({ body, clientAddress }) {
      await accessTokens.prepare()
      const { org_id: orgId } = body
      if (orgId !== undefined)
        return switchReply(
          await db
            .transaction()
            .execute((tx) => switchSession({ tx, attempts }, hashSecret(body.refresh_token), orgId)),
          clientAddress,
        )
      const rotated = await rotateRefreshToken(deps, body.refresh_token, (tx, chain) =>
        chain.user_id === null ? undefined : findMember(tx, chain.org_id, chain.user_id),
      )
      if (rotated === 'replayed') onChange()
      if (!rotated || rotated === 'replayed') return refuseToken(clientAddress)
      return sessionReply(accessTokens, { ...rotated, member: rotated.owner })
    },

    // An unknown token has no session to end. The reply is the same, so that it tells nothing about tokens; but it costs
    // the address an attempt.
    async logOut({ body, clientAddress }) {
      const isKnown = await db.transaction().execute(async (tx) => {
        const token = await lockRefreshToken(tx, hashSecret(body.refresh_token))
        if (token?.user_id != null) {
          await endChain(tx, token.org_id, token.chain_id)
          await auditSessionEnd(tx, { org_id: token.org_id, id: token.chain_id }, token.user_id)
        }
        return token !== undefined
      })
      if (!isKnown) await attempts.failed(clientAddress)
      onChange()
      return undefined
    },

    async getCurrentUser({ principal }) {
      return { data: await currentUser(deps, principal) }
    },

    async updateCurrentUser({ principal, body }) {
      const userId = userOf(principal)
      await db.transaction().execute(async (tx) => {
        const before = await lockUser(tx, userId)
        await updateName(tx, userId, body.name)
        await auditUser(tx, userId, {
          action: 'user.update',
          changes: changesOf(before && { name: before.name }, body),
        })
      })
      return { data: await currentUser(deps, principal) }
    },

    async switchOrg({ principal, body, clientAddress }) {
      await accessTokens.prepare()
      const hash = hashSecret(body.refresh_token)
      const from = { orgId: principal.orgId, userId: userOf(principal) }
      return switchReply(
        await db.transaction().execute((tx) => switchSession({ tx, attempts }, hash, body.org_id, from)),
        clientAddress,
      )
    },
  }
}
