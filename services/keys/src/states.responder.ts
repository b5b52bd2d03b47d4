import { askOrgState } from '@whereabouts/contracts/messages/org-state'
import { republishKeysState } from '@whereabouts/contracts/messages/republish-state'
import type { Broker } from '@whereabouts/messaging/connection'
import { respond, type Responder } from '@whereabouts/messaging/request'
import type { Logger } from '@whereabouts/service-kit/logging'
import type { Db } from './db.ts'
import { readOrgState } from './orgs/org-state.ts'
import { republishState } from './restore/republish-state.ts'

/** Answers services that lack a state or cannot read it. One replica answers each request. */
export function serveStates(broker: Broker, db: Db, logger: Logger): Responder {
  const responders = [
    respond(broker, askOrgState.subject, 'keys-org-state', async (payload) => readOrgState(db, payload), {
      logger,
    }),
    respond(
      broker,
      republishKeysState.subject,
      'keys-republish-state',
      async (payload) => republishState(db, payload),
      { logger },
    ),
  ]
  return {
    async stop() {
      await Promise.all(responders.map((responder) => responder.stop()))
    },
  }
}
