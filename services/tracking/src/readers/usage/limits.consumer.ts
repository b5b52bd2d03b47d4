import { OrgLimits } from '@whereabouts/contracts/messages/keys-state'
import { isDatabaseOutage } from '@whereabouts/db/connect/outage'
import { saveLimits } from '@whereabouts/db/schema/usage'
import type { MessageConsumer } from '@whereabouts/messaging/consume/consumer'
import { decodeWith } from '@whereabouts/messaging/consume/decode'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db.ts'

/** Keeps what organizations may store, where an operator changed it. `across` sees all organizations. */
export const limitsConsumer = (across: Kysely<Tables>): MessageConsumer<OrgLimits> => ({
  durable: 'tracking-limits',
  isOutage: isDatabaseOutage,
  decode: decodeWith('a state of an organization', (payload) => OrgLimits.parse(payload)),
  handle: async ({ limits = {}, deleted_at, ...org }) => {
    // The last state of a deleted organization may come again after its rows were erased.
    if (!deleted_at) await saveLimits(across, { ...org, limits })
  },
})
