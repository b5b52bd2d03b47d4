import { skipIssued } from '@whereabouts/db/minted-ids'
import type { Db, Tx } from '../db.ts'
import { endSessions, applyKey, applyMember, applyOrg, type Applied } from './newer.queries.ts'
import type { KeysStates } from './newer.ts'

export type Reapplied = {
  /** Number of organizations, keys and members whose changes since the backup were applied again. */
  changed: number
  /** Created after the backup. The stream has no secrets, so such a key cannot be used. */
  missing: { kind: string; state: unknown }[]
  sessions: number
  invitations: number
}

/**
 * Applies states of the stream that are newer than a restored database, revocations above all. One transaction, so that
 * it happens completely or not at all.
 */
export async function reapply(db: Db, states: KeysStates): Promise<Reapplied> {
  await skipIssued(db) // new revisions are above all published ones
  return db.transaction().execute(async (tx) => {
    const changes: Changes = { changed: 0, missing: [] }
    await applyAll(tx, 'organization', states.orgs, applyOrg, changes)
    await applyAll(tx, 'member', states.members, applyMember, changes)
    await applyAll(tx, 'key', states.keys, applyKey, changes)
    return { ...changes, ...(await endSessions(tx)) }
  })
}

type Changes = Pick<Reapplied, 'changed' | 'missing'>

async function applyAll<S>(
  tx: Tx,
  kind: string,
  states: readonly S[],
  meet: (tx: Tx, state: S) => Promise<Applied>,
  into: Changes,
): Promise<void> {
  for (const state of states) {
    const met = await meet(tx, state)
    if (met === 'older') into.changed += 1
    if (met === 'missing') into.missing.push({ kind, state })
  }
}
