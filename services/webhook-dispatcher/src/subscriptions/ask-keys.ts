import { askOrgState } from '@whereabouts/contracts/messages/org-state'
import type { Broker } from '@whereabouts/messaging/connection'
import { request } from '@whereabouts/messaging/request'
import type { AskOrg } from './subscriptions.ts'

const TIMEOUT_MS = 2_000

/** Asks keys through the broker. Rejects where that does not work within two seconds. */
export const askKeysOver =
  (broker: () => Broker | undefined): AskOrg =>
  async (orgId) => {
    const reached = broker()
    if (!reached) throw new Error('not connected to the broker')
    const answer = await request(reached, askOrgState.subject, { org_id: orgId }, { timeoutMs: TIMEOUT_MS })
    return askOrgState.reply.parse(answer).org ?? undefined
  }
