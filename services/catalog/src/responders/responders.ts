import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Kysely } from 'kysely'
import type { Tables } from '../db.ts'
import type { RunInTransaction } from '../changes/transactions/transactions.ts'
import { serveLookups } from './lookup/lookup.responder.ts'
import { serveRepublish } from '../republish/states.ts'
import { serveTagClaims } from './tag-claims/tag-claims.responder.ts'
import { serveUsage } from './usage/usage.responder.ts'

type Deps = {
  tenants: TenantDatabase<Tables>
  /** As the worker: sees all organizations. */
  across: Kysely<Tables>
  runInTransaction: RunInTransaction
  log: Logger
}

/** Starts to answer requests over the broker. */
export function startResponders(broker: Broker, { tenants, across, runInTransaction, log }: Deps) {
  const responders = [
    serveTagClaims(broker, runInTransaction, log),
    serveRepublish(broker, across, log),
    serveLookups(broker, tenants, log),
    serveUsage(broker, tenants, log),
  ]
  return { stop: async () => Promise.all(responders.map((responder) => responder.stop())) }
}
