import { eraseFromTracking } from '@whereabouts/contracts/messages/usage'
import { eraseOrganization } from '@whereabouts/db/erase/erase-organization'
import { answering } from '@whereabouts/messaging/messages/request'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db.ts'

/** Answers `rpc.tracking.erase-organization`. */
export const { answer: answerErasure, serve: serveErasures } = answering(
  eraseFromTracking,
  'not a request for an erasure',
  async (owner: Kysely<Tables>, { org_id: orgId }) => eraseOrganization(owner, orgId),
)
