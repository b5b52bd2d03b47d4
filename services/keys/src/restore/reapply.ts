import { KeyState, MemberState, OrgState } from '@whereabouts/contracts/messages/keys-state'
import { skipIssued } from '@whereabouts/db/minted-ids'
import type { Db, Tx } from '../db.ts'
import { endSessions, applyKey, applyMember, applyOrg, type Applied } from './newer.queries.ts'

/** The states of the KEYS stream, by kind. */
export type KeysStates = { orgs: OrgState[]; keys: KeyState[]; members: MemberState[] }

/** Sorts states by subject. Returns the subjects of unreadable ones. */
export function sortStates(stored: readonly { subject: string; payload: unknown }[]) {
  const states: KeysStates = { orgs: [], keys: [], members: [] }
  const unreadable: string[] = []
  for (const { subject, payload } of stored) {
    const kind = subject.split('.')[1]
    const ok =
      kind === 'org'
        ? take(states.orgs, OrgState.safeParse(payload))
        : kind === 'key'
          ? take(states.keys, KeyState.safeParse(payload))
          : kind === 'member'
            ? take(states.members, MemberState.safeParse(payload))
            : kind === 'chain' // all sessions and chains end after a restore
    if (!ok) unreadable.push(subject)
  }
  return { states, unreadable }
}

function take<T>(into: T[], read: { success: true; data: T } | { success: false }): boolean {
  if (read.success) into.push(read.data)
  return read.success
}

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
