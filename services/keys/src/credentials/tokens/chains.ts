import { chainEnd, type ChainEnd } from '@whereabouts/contracts/messages/keys-state'
import { enqueue } from '@whereabouts/db/outbox/outbox'
import type { Tx } from '../../db.ts'
import { revokeChain, type EndedChain } from './tokens.queries.ts'

/** Ends the refresh tokens of a chain here, and its access tokens at the gateways. Call under the lock of its row. */
export async function endChain(tx: Tx, orgId: number, chainId: string): Promise<void> {
  const ended = await revokeChain(tx, orgId, chainId)
  if (ended) await enqueueChainEnds(tx, [ended])
}

export const toChainEnd = ({ org_id, id, revoked_at }: EndedChain): ChainEnd => ({
  org_id,
  chain_id: id,
  ended_at: revoked_at,
})

export const enqueueChainEnds = (tx: Tx, chains: readonly EndedChain[]): Promise<void> =>
  enqueue(tx, chainEnd, chains.map(toChainEnd))
