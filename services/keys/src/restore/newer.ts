import { KeyState, MemberState, OrgState } from '@whereabouts/contracts/messages/keys-state'

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
