import { randomUUID } from 'node:crypto'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { Tables } from '../../db.ts'
import { ruleNotFound } from '../../errors.ts'
import { findRule } from '../settings/rules.queries.ts'
import type { Channels } from './channels.ts'
import { testNoticeOf } from './notice-text.ts'

export type RuleTestDeps = { db: TenantDatabase<Tables>; channels: Channels }

/** Sends one message to each address and channel of a rule, outside of its digests (D14.6). */
export const ruleTestHandlers = ({ db, channels }: RuleTestDeps): Pick<Handlers<'tracking'>, 'testRule'> => ({
  async testRule({ principal: { orgId }, params: { rule_id } }) {
    const rule = await findRule(db.forOrg(orgId), orgId, rule_id)
    if (!rule) throw ruleNotFound()
    const notice = testNoticeOf(rule)
    const { email: to, chat } = rule.notify
    const [email, posted] = await Promise.all([
      to.length === 0 ? [] : channels.mail(orgId, to, randomUUID(), notice).catch(unavailable),
      Promise.all(
        chat.map(async (one) => {
          const { status_code, error } = await channels.post(orgId, one, 1, notice).catch(unavailable)
          return { kind: one.kind, status_code, error }
        }),
      ),
    ])
    return { data: { email, chat: posted } }
  },
})

const unavailable = (): never => {
  throw serviceUnavailable()
}
