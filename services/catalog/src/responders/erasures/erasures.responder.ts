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
        asset: endStates(assetState, (row) => toAssetState(row as AssetRow)),
        location: endStates(locationState, (row) => toLocationState(row as LocationRow)),
        tag: endStates(tagState, (row) => toTagState(row as TagRow)),
      },
    }),
)

type State = { revision: number; deleted_at: string | null }

type Row = Record<string, unknown>

function endStates<S extends z.ZodType<State>>(message: Message<S>, toState: (row: Row) => z.output<S>) {
  const last = { ...message, ttlSeconds: LAST_STATE_SECONDS }
  return async (tx: Tx, rows: readonly Row[]) => {
    const now = new Date().toISOString()
    const ended = rows.map((row) => {
      const state = toState(row)
      return { ...state, revision: state.revision + 1, deleted_at: state.deleted_at ?? now }
    })
    await enqueue(tx, last, ended)
  }
}
