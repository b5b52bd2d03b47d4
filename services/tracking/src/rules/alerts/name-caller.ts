import { callerName } from '@whereabouts/contracts/messages/alerts/caller-name'
import type { Principal } from '@whereabouts/contracts/principal'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { request } from '@whereabouts/messaging/messages/request'
import type { Acknowledger } from './alerts.queries.ts'

const TIMEOUT_MS = 2_000

/** Asks keys for the name of a caller. If it does not answer, the alert is acknowledged without one. */
export const nameCallerOver =
  (broker: Broker) =>
  async ({ kind, orgId, userId, keyId }: Principal): Promise<Acknowledger> => {
    const type = kind === 'key' ? 'key' : 'user'
    const question = {
      org_id: orgId,
      ...(userId !== undefined && { user_id: userId }),
      ...(kind === 'key' && keyId !== undefined && { key_id: keyId }),
    }
    try {
      const answer = await request(broker, callerName.subject, question, { timeoutMs: TIMEOUT_MS })
      return { type, ...callerName.reply.parse(answer) }
    } catch {
      return { type, id: userId ?? null, name: null }
    }
  }
