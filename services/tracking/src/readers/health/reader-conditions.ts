import { bigints, instants, texts } from '@whereabouts/db/tenant/array-parameters'
import { sql } from 'kysely'
import type { Tx } from '../../db.ts'
import { clockProblem, mergeClocks, type ReaderClock } from './reader-clock.ts'
import type { HealthEntry } from './health-entry.ts'
import { mergeIdentities, turnOf, turnProblem, type Identities } from './reader-identities.ts'

/** What only several messages tell about a reader: that its clock is wrong, or that two devices send as this reader. */
type Conditions = { clock: ReaderClock | null; identities: Identities | null }

/**
 * Locks the rows of these readers, so that the replicas add to their conditions one after the other, and makes the missing
 * ones. In the order of their keys, so that two replicas do not wait for each other. Returns the organizations that got new
 * rows, and the conditions in the order of `entries`.
 */
export async function lockReaders(
  tx: Tx,
  entries: readonly HealthEntry[],
): Promise<{ grown: number[]; conditions: Conditions[] }> {
  const keys = sql`unnest(${bigints(entries.map(({ org_id }) => org_id))}, ${texts(entries.map(({ reader_key }) => reader_key))},
    ${instants(entries.map(({ last_seen_ms }) => last_seen_ms))}) as n (org_id, reader_key, seen)`
  const { rows: made } = await sql<{ org_id: number }>`
    insert into reader_health (org_id, reader_key, last_seen_at)
    select org_id, reader_key, seen from ${keys} order by org_id, reader_key
    on conflict do nothing returning org_id`.execute(tx)
  const { rows } = await sql<Conditions & Pick<HealthEntry, 'org_id' | 'reader_key'>>`
    select h.org_id, h.reader_key, h.clock, h.identities
    from ${keys} join reader_health h on h.org_id = n.org_id and h.reader_key = n.reader_key
    order by h.org_id, h.reader_key for update of h`.execute(tx)
  const found = new Map(rows.map((row) => [nameOf(row), row]))
  return {
    grown: [...new Set(made.map(({ org_id }) => org_id))],
    conditions: entries.map((entry) => found.get(nameOf(entry)) ?? { clock: null, identities: null }),
  }
}

const nameOf = ({ org_id, reader_key }: Pick<HealthEntry, 'org_id' | 'reader_key'>) =>
  `${org_id} ${reader_key}`

/**
 * `entry` with the conditions of all its messages. A condition is the last problem, before one of a single message,
 * because it concerns all that the reader sends.
 */
export function withConditions(
  entry: HealthEntry,
  stored: Conditions = { clock: null, identities: null },
): HealthEntry {
  const clock = mergeClocks(stored.clock, entry.clock)
  const identities = mergeIdentities(stored.identities, entry.identities)
  const [turn, before] = [turnOf(identities), turnOf(stored.identities)]
  const problems = [
    turn && turn.at !== before?.at ? turnProblem(turn) : undefined,
    entry.clock ? clockProblem(clock) : undefined,
  ].filter((problem) => problem !== undefined)
  if (problems.length === 0) return { ...entry, clock, identities }
  if (entry.last_problem !== null) problems.push(`Also: ${entry.last_problem}`)
  const last_problem_ms = entry.last_problem_ms ?? entry.last_seen_ms
  return { ...entry, clock, identities, last_problem: problems.join(' '), last_problem_ms }
}
