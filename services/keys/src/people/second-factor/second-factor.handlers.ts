import { addressBlock } from '@whereabouts/service-kit/limits/address-block'
import { invalidToken } from '@whereabouts/service-kit/errors/errors'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import type { Tx, UserRow } from '../../db.ts'
import { codesAreOff, wrongCode, wrongPassword } from '../../errors.ts'
import { NO_STORE } from '../../credentials/secrets.ts'
import { userOf } from '../../organizations/members/acting-member.ts'
import { findUser, lockUser } from '../users/own-sessions.queries.ts'
import { isUnchanged } from '../users/password-check.ts'
import type { UserDeps } from '../users/user-deps.ts'
import { isRight } from './code-check.ts'
import { switchOff } from './second-factors.ts'

type SecondFactorOperation = 'createTotp' | 'confirmTotp' | 'deleteTotp'

/** Users switch one-time codes on and off for themselves. */
export function secondFactorHandlers(deps: UserDeps): Pick<Handlers<'keys'>, SecondFactorOperation> {
  const { db, passwords, attempts, mails, secondFactors, onChange } = deps

  /** Anybody can sign up with any address, so one that nobody has proved gets no mail. */
  async function tell(tx: Tx, user: UserRow | undefined, template: 'second_factor_on' | 'second_factor_off') {
    if (!mails.isConfigured || !user?.email_verified_at) return
    await mails.write(tx, { id: mails.newId(), template, to: user.email, values: {} })
  }

  return {
    async createTotp({ principal }) {
      return new Reply({ data: await secondFactors.begin(db, userOf(principal)) }, NO_STORE)
    },

    async confirmTotp({ principal, body }) {
      const userId = userOf(principal)
      const recovery_codes = await db.transaction().execute(async (tx) => {
        const codes = await secondFactors.confirm(tx, userId, body.code)
        await tell(tx, await findUser(tx, userId), 'second_factor_on')
        return codes
      })
      onChange()
      return new Reply({ data: { recovery_codes } }, NO_STORE)
    },

    // Requires both, because the access token may be stolen. Guesses are limited as those at a sign-in.
    async deleteTotp({ principal, body, clientAddress }) {
      await attempts.admit(clientAddress)
      const user = await findUser(db, userOf(principal))
      if (!user) throw invalidToken()
      if (user.second_factor_at === null) throw codesAreOff()
      const attempt = await attempts.onAccount(user.email, clientAddress)
      if (!(await passwords.matches(addressBlock(clientAddress), body.password, user))) throw wrongPassword()
      if (!(await isRight(deps, user, body.code))) throw wrongCode()
      await attempt.succeeded()
      await db.transaction().execute(async (tx) => {
        if (!isUnchanged(await lockUser(tx, user.id), user)) throw wrongPassword() // changed in between
        await switchOff(tx, user.id)
        await tell(tx, user, 'second_factor_off')
      })
      onChange()
      return undefined
    },
  }
}
