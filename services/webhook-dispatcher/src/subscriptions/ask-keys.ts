import { askOrgState } from '@whereabouts/contracts/messages/org-state'
import type { Broker } from '@whereabouts/messaging/connection'
import { request } from '@whereabouts/messaging/request'
import type { AskOrg } from './subscriptions.ts'

const TIMEOUT_MS = 2_000

/** Asks keys through the broker. Rejects if no reply comes within two seconds. */
export const askKeysOver =
  (broker: () => Broker | undefined): AskOrg =>
  async (orgId) => {
    const connected = broker()
    if (!connected) throw new Error('not connected to the broker')
    const reply = await request(connected, askOrgState.subject, { org_id: orgId }, { timeoutMs: TIMEOUT_MS })
    return askOrgState.reply.parse(reply).org ?? undefined
  }
