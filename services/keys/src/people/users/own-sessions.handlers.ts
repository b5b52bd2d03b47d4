import { SECRET } from '@whereabouts/db/outbox/audit'
import { auditSessionEnd, auditUser } from './user-audit.ts'
import type { SessionView } from '@whereabouts/contracts/resources/keys/members'
import { addressBlock } from '@whereabouts/service-kit/limits/address-block'
import { invalidToken } from '@whereabouts/service-kit/errors/errors'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import { sessionNotFound, wrongCurrentPassword } from '../../errors.ts'
import { userOf } from '../../organizations/members/acting-member.ts'
import { enqueueChainEnds } from '../../credentials/tokens/chains.ts'
import {
  countOwnSessions,
  endOtherSessions,
  endOwnSession,
  findUser,
  listOwnSessions,
  lockUser,
  updatePassword,
  type OwnSession,
} from './own-sessions.queries.ts'
import { endProofs } from '../mailboxes/mailbox-proofs.queries.ts'
import { refuseEmailAsPassword } from './password-rules.ts'
import type { UserDeps } from './user-deps.ts'

type OwnSessionOperation = 'changePassword' | 'listSessions' | 'endSession'

/** Users change their password and end their sessions, in all their organizations. */
export function ownSessionHandlers(deps: UserDeps): Pick<Handlers<'keys'>, OwnSessionOperation> {
  const { db, passwords, attempts, onChange } = deps
  return {
    // Requires the current password and limits guesses of it, because the access token may be stolen.
    async changePassword({ principal, body, clientAddress }) {
      const userId = userOf(principal)
      await attempts.admit(clientAddress)
      const user = await findUser(db, userId)
      if (!user) throw invalidToken()
      refuseEmailAsPassword('new_password', body.new_password, user.email)
      const attempt = await attempts.onAccount(user.email, clientAddress)
      const source = addressBlock(clientAddress)
      if (!(await passwords.matches(source, body.current_password, user))) throw wrongCurrentPassword()
      await attempt.succeeded()
      const hash = await passwords.hash(source, body.new_password)
      await db.transaction().execute(async (tx) => {
        const now = await lockUser(tx, userId)
        if (!now?.password_hash.equals(user.password_hash)) throw wrongCurrentPassword() // changed in between
        await updatePassword(tx, userId, hash)
        await auditUser(tx, userId, { action: 'user.update', changes: { password: SECRET } })
        await endProofs(tx, userId)
        await enqueueChainEnds(tx, await endOtherSessions(tx, userId, principal.sessionId))
      })
      onChange()
      return undefined
    },

    async listSessions({ principal, query }) {
      const userId = userOf(principal)
      const [rows, total_count] = await Promise.all([
        listOwnSessions(db, userId, query),
        countOwnSessions(db, userId),
      ])
      const data = rows.map((row) => toView(row, principal.sessionId))
      return { data, limit: query.limit, offset: query.offset, total_count }
    },

    async endSession({ principal, params }) {
      await db.transaction().execute(async (tx) => {
        const ended = await endOwnSession(tx, userOf(principal), params.session_id)
        if (!ended) throw sessionNotFound()
        await enqueueChainEnds(tx, [ended])
        await auditSessionEnd(tx, ended, userOf(principal))
      })
      onChange()
      return undefined
    },
  }
}

const toView = (
  { org_id, org_name, ...session }: OwnSession,
  currentId: string | undefined,
): SessionView => ({
  id: session.id,
  org: { id: org_id, name: org_name },
  created_at: session.created_at,
  last_used_at: session.last_used_at,
  expires_at: session.expires_at,
  current: session.id === currentId,
})
