import { skipGivenOut } from '@whereabouts/db/minted-ids'
import type { Db, Tx } from '../db.ts'
import { endSessions, applyKey, applyMember, applyOrg, type Applied } from './newer.queries.ts'
import type { KeysStates } from './newer.ts'

export type Reapplied = {
  /** Organizations, keys and members that were changed after the backup, and are so again. */
  changed: number
  /** What came into being after the backup. Of a key only its name is left, not its secret: it cannot be used. */
  missing: { kind: string; state: unknown }[]
  sessions: number
  invitations: number
}

/**
 * Takes over what the stream knows and a restored, older database does not: revocations above all. In one transaction:
 * either nothing that was taken away is back, or nothing has happened yet.
 */
export async function reapply(db: Db, states: KeysStates): Promise<Reapplied> {
  await skipGivenOut(db) // revisions drawn from here on are newer than all that was ever published
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
