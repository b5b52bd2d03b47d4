import type { IdentityKind } from '../../formats/decoder.ts'

/** A time in which nothing but this name was heard. */
type Stay = { id: string; from: number; to: number }
type Turn = { ids: [string, string]; at: number }
export type Replaced = { from: string; to: string; at: number }

/** The names of one kind that were heard of one reader; the stays by their ends. Mergeable, also of replicas that hear it at the same time. */
type Heard = { stays: Stay[]; turn: Turn | null }
export type Identities = Partial<Record<IdentityKind, Heard>>

/** A name that comes back within this time is of a second device; after it, the device was exchanged and exchanged back. */
export const RETURN_MS = 3_600_000
/** More would only tell more than this many devices apart. */
const MAX_STAYS = 16

export const heardAs = (kind: IdentityKind, id: string, atMs: number): Identities => ({
  [kind]: { stays: [{ id, from: atMs, to: atMs }], turn: null },
})

/** What was heard in both. What was heard at the same instant keeps its order. */
export function mergeIdentities(older: Identities | null, newer: Identities | null): Identities | null {
  if (older === null || newer === null) return newer ?? older
  const merged: Identities = { ...older }
  for (const [kind, heard] of Object.entries(newer) as [IdentityKind, Heard][])
    merged[kind] = mergeHeard(older[kind], heard)
  return merged
}

function mergeHeard(older: Heard | undefined, newer: Heard): Heard {
  if (!older) return newer
  const stays = coalesce([...older.stays, ...newer.stays].toSorted((a, b) => a.to - b.to))
  const turns = [older.turn, newer.turn, lastTurn(stays), ...overlaps(older.stays, newer.stays)]
  return { stays: stays.slice(-MAX_STAYS), turn: newest(turns.filter((turn) => turn !== null)) }
}

function coalesce(sorted: readonly Stay[]): Stay[] {
  const stays: Stay[] = []
  for (const stay of sorted) {
    const before = stays.at(-1)
    if (before?.id === stay.id) stays[stays.length - 1] = { ...stay, from: Math.min(before.from, stay.from) }
    else stays.push(stay)
  }
  return stays
}

/** Two replicas heard two names at the same time: the one that ended last came back after the other. */
const overlaps = (some: readonly Stay[], others: readonly Stay[]): Turn[] =>
  some.flatMap((a) =>
    others.flatMap((b): Turn[] => {
      if (a.id === b.id || a.from >= b.to || b.from >= a.to) return []
      return [{ ids: a.to > b.to ? [b.id, a.id] : [a.id, b.id], at: Math.max(a.to, b.to) }]
    }),
  )

/** The last time that a name came back after another one. */
function lastTurn(stays: readonly Stay[]): Turn | null {
  for (let at = stays.length - 1; at > 0; at -= 1) {
    const [before, stay] = [stays[at - 1], stays[at]]
    if (!before || !stay) continue
    const last = stays.slice(0, at - 1).findLast(({ id }) => id === stay.id)
    if (last && stay.from - last.to <= RETURN_MS) return { ids: [before.id, stay.id], at: stay.from }
  }
  return null
}

const newest = <T extends { at: number }>(all: readonly T[]): T | null =>
  all.reduce<T | null>((found, one) => (found === null || one.at >= found.at ? one : found), null)

const kindsOf = (identities: Identities | null): Heard[] => Object.values(identities ?? {})

/** The newest turn of two devices. */
export const turnOf = (identities: Identities | null): Turn | null =>
  newest(kindsOf(identities).flatMap(({ turn }) => turn ?? []))

/** The newest change of the device. */
export const replacedOf = (identities: Identities | null): Replaced | null =>
  newest(
    kindsOf(identities).flatMap(({ stays }) => {
      const [before, now] = stays.slice(-2)
      return before && now ? { from: before.id, to: now.id, at: now.from } : []
    }),
  )

export const turnProblem = ({ ids: [a, b] }: Turn): string =>
  `Two devices send with the key of this reader and take turns: ${a.slice(0, 64)} and ${b.slice(0, 64)}. Give each device a reader and a key of its own.`
