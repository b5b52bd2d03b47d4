import { setTimeout as wait } from 'node:timers/promises'
import type { Message } from '@whereabouts/contracts/messages/message'
import { sql, type Kysely, type QueryExecutorProvider, type RawBuilder } from 'kysely'
import type { z } from 'zod'
import { enqueue, type OpenTransaction } from './outbox.ts'

/** One kind of state that a service publishes. */
type StateSource<R, S extends z.ZodType> = {
  table: string
  /** A unique key. Subjects end with its columns, and pages are in its order. */
  key: readonly (keyof R & string)[]
  /** Which rows are published; all if left out. */
  only?: RawBuilder<boolean>
  /** Whether a part of a subject can be a value of the key. If left out, the values are public ids. */
  isKeyPart?: (part: string) => boolean
  message: Message<S>
  toState: (row: R) => z.output<S>
}

type Rows = readonly Record<string, unknown>[]
type Condition = RawBuilder<unknown>

type States = {
  /** Queues the states of the next rows after a row, in a transaction. */
  page(tx: OpenTransaction, after: Rows[number] | undefined, size: number): Promise<Rows>
  /** Queues the state of the row with this key, and returns the row. */
  one(tx: OpenTransaction, key: readonly string[]): Promise<Rows>
}

type RepublishOptions<K extends string = string> = {
  /** Rows of a transaction. */
  batchSize?: number
  /** Called before each batch, which waits for it. */
  room?: () => Promise<void>
  onBatch?: (kind: K, total: number) => void
}

type Pace = {
  /** Maximum number of messages in the outbox. */
  atMost: number
  /** Fails if the outbox does not become shorter for this long. */
  patienceMs: number
  onWait?: (queued: number) => void
}

/** The outbox does not become shorter. The service probably does not run. */
export class OutboxNotPublished extends Error {
  override readonly name = 'OutboxNotPublished'
}

const ROWS_AT_ONCE = 500
const POLL_MS = 200

export const states = <R extends Record<string, unknown>, S extends z.ZodType>(
  source: StateSource<R, S>,
): States => {
  const { table, key, only = sql<boolean>`true`, isKeyPart = isPublicId, message, toState } = source
  const columns = sql.join(key.map((column) => sql.ref(column)))
  const row = (values: readonly unknown[]) => sql`(${sql.join(values)})`
  // Locked until the states are in the outbox, so that no newer state is queued before them.
  const queue = async (tx: OpenTransaction, condition: Condition, size: number) => {
    const { rows } = await sql<R>`
      select * from ${sql.table(table)} where ${only} and ${condition} order by ${columns} limit ${size} for share`.execute(
      tx,
    )
    await enqueue(tx, message, rows.map(toState))
    return rows
  }
  return {
    page: (tx, after, size) =>
      queue(tx, after ? sql`(${columns}) > ${row(key.map((column) => after[column]))}` : sql`true`, size),
    one: async (tx, parts) =>
      parts.length === key.length && parts.every(isKeyPart)
        ? queue(tx, sql`(${columns}) = ${row(parts)}`, 1)
        : [],
  }
}

function isPublicId(part: string): boolean {
  const id = Number(part)
  return Number.isSafeInteger(id) && id > 0 && String(id) === part
}

/** The states that a service publishes below `<service>.<kind>.`, to publish them again. */
export function stateLog<K extends string>(service: string, kinds: Readonly<Record<K, States>>) {
  const sources = Object.entries<States>(kinds) as [K, States][]

  /**
   * Queues the state of every row again, with unchanged revisions. Consumers ignore states that they have. Safe while
   * the service runs, safe to repeat and to abort. Returns the number of each kind.
   */
  async function republishAll<T>(
    db: Kysely<T>,
    options: RepublishOptions<K> = {},
  ): Promise<Record<K, number>> {
    const { batchSize = ROWS_AT_ONCE, room, onBatch } = options
    const totals = Object.fromEntries(sources.map(([kind]) => [kind, 0])) as Record<K, number>
    for (const [kind, source] of sources)
      for (let after: Rows[number] | undefined, isLast = false; !isLast;) {
        await room?.()
        const from = after
        const rows = await db.transaction().execute((tx) => source.page(tx, from, batchSize))
        totals[kind] += rows.length
        onBatch?.(kind, totals[kind])
        after = rows.at(-1)
        isLast = rows.length < batchSize
      }
    return totals
  }

  /** Queues the state that a subject names. False if there is none. */
  async function republishOne<T>(db: Kysely<T>, subject: string): Promise<boolean> {
    const [, kind, ...key] = subject.split('.')
    const source = sources.find(([name]) => name === kind)?.[1]
    if (!source) return false
    return (await db.transaction().execute((tx) => source.one(tx, key))).length > 0
  }

  /** Resolves when the outbox has room, because a long queue would delay new changes. Throws OutboxNotPublished. */
  async function awaitRoom(db: QueryExecutorProvider, { atMost, patienceMs, onWait }: Pace): Promise<void> {
    let shortest = Number.POSITIVE_INFINITY
    let since = Date.now()
    for (;;) {
      const { rows } = await sql<{ queued: number }>`select count(*) as queued from outbox`.execute(db)
      const queued = rows[0]?.queued ?? 0
      if (queued <= atMost) return
      if (queued < shortest) [shortest, since] = [queued, Date.now()]
      if (Date.now() - since > patienceMs)
        throw new OutboxNotPublished(
          `${queued} messages wait in the outbox and are not published. Is ${service} running?`,
        )
      onWait?.(queued)
      await wait(POLL_MS)
    }
  }

  /** Deletes the queued states, because newer ones follow. Keeps other messages. */
  async function forgetQueued(db: QueryExecutorProvider): Promise<void> {
    await sql`delete from outbox where subject like ${`${service}.%`}`.execute(db)
  }
  return { service, republishAll, republishOne, awaitRoom, forgetQueued }
}
export type StateLog<K extends string> = ReturnType<typeof stateLog<K>>
