import { republishCatalogState, type RepublishReply } from '@whereabouts/contracts/messages/republish-state'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { RefusedError, respond, type Responder } from '@whereabouts/messaging/messages/request'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Kysely } from 'kysely'
import type { Tables } from '../db.ts'
import { catalogStates } from '../republish/states.ts'

/** Answers `rpc.catalog.republish-state`. One replica answers each request. */
export const serveRepublish = (broker: Broker, db: Kysely<Tables>, logger: Logger): Responder =>
  respond(
    broker,
    republishCatalogState.subject,
    'catalog-republish-state',
    async (payload) => republishState(db, payload),
    { logger },
  )

/** Publishes the stored state of a CATALOG subject again. Refuses malformed requests. */
export async function republishState(db: Kysely<Tables>, payload: unknown): Promise<RepublishReply> {
  const parsed = republishCatalogState.request.safeParse(payload)
  if (!parsed.success) throw new RefusedError('not a request for a state')
  return { published: await catalogStates.republishOne(db, parsed.data.subject) }
}
