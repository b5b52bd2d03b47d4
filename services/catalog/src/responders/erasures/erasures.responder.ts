import { assetState, locationState, tagState } from '@whereabouts/contracts/messages/catalog-state'
import { eraseFromCatalog, LAST_STATE_SECONDS } from '@whereabouts/contracts/messages/usage'
import type { Message } from '@whereabouts/contracts/messages/message'
import { eraseOrganization } from '@whereabouts/db/erase/erase-organization'
import { enqueue } from '@whereabouts/db/outbox/outbox'
import { answering } from '@whereabouts/messaging/messages/request'
import type { Kysely } from 'kysely'
import type { z } from 'zod'
import { toAssetState, toLocationState, toTagState } from '../../changes/messages/states.ts'
import type { AssetRow, LocationRow, TagRow, Tables, Tx } from '../../db.ts'

/** Answers `rpc.catalog.erase-organization`. The state of each row ends like that of a single deletion, and the broker drops it soon. */
export const { answer: answerErasure, serve: serveErasures } = answering(
  eraseFromCatalog,
  'not a request for an erasure',
  async (owner: Kysely<Tables>, { org_id: orgId }) =>
    eraseOrganization(owner, orgId, {
      onDeleted: {
        asset: endStates(assetState, (row: AssetRow) => toAssetState(row)),
        location: endStates(locationState, (row: LocationRow) => toLocationState(row)),
        tag: endStates(tagState, (row: TagRow) => toTagState(row)),
      },
    }),
)

type State = { revision: number; deleted_at: string | null }

function endStates<S extends z.ZodType<State>, R>(message: Message<S>, toState: (row: R) => z.output<S>) {
  const last = { ...message, ttlSeconds: LAST_STATE_SECONDS }
  return async (tx: Tx, rows: readonly Record<string, unknown>[]) => {
    const now = new Date().toISOString()
    const ended = rows.map((row) => {
      const state = toState(row as R)
      return { ...state, revision: state.revision + 1, deleted_at: state.deleted_at ?? now }
    })
    await enqueue(tx, last, ended)
  }
}
