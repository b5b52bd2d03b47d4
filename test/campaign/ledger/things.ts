import type { Finding } from './ledger.ts'

/** An asset or a location as its writer knows it. Tags are `type:value`. */
export type State = { name: string; externalKey: string; tags: readonly string[] }

/**
 * What may be true of a thing: one state, or two when the last write was not answered. `undefined`: it does not exist.
 */
export type Thing = {
  resource: 'assets' | 'locations'
  orgId: number
  /** Undefined if the creation was not answered. */
  id: number | undefined
  /** At its creation. */
  key: string
  states: readonly (State | undefined)[]
}

const textOf = (state: State | undefined) =>
  state ? JSON.stringify([state.name, state.externalKey, state.tags.toSorted()]) : 'nothing'

/** Compares what the API shows with what was written. `when` says how it was read. */
export function checkThing(thing: Thing, shown: State | undefined, when: string): Finding[] {
  const possible = thing.states.map(textOf)
  if (possible.includes(textOf(shown))) return []
  return [
    {
      kind: 'write lost',
      what: `${thing.resource} ${thing.key} of organization ${thing.orgId} ${when} is ${textOf(shown)}, not ${possible.join(' or ')}`,
    },
  ]
}
