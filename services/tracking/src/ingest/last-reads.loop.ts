import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/background-job'
import type { Logger } from '@whereabouts/service-kit/logging'
import type { Registry } from '@whereabouts/service-kit/metrics'
import type { Kysely } from 'kysely'
import type { Tables } from '../db.ts'
import { withMonths } from '../partitions/missing-months.ts'
import type { AssetKey } from '../positions/position.ts'
import { carryWaiting } from '../positions/waiting.queries.ts'
import type { CatalogResolver } from '../projections/catalog-resolver.ts'
import { readHeardElsewhere } from './heard-elsewhere.ts'
import { findDueToCarry } from './last-reads.queries.ts'
import { commitWithNames, type InTransaction } from './names.ts'
import { NOT_READ } from '../positions/cause.ts'
import type { Observation } from '../positions/observation.ts'
import type { RecentMinutes } from './recent-minutes.ts'
import type { StoreDeps } from './decide-all.ts'
import { storeCarried, storeScans, type Stored } from './store.ts'

type Deps = StoreDeps & {
  db: Kysely<Tables>
  resolver: CatalogResolver
  recent: RecentMinutes
  /** Called after a commit that put movements into the outbox. */
  wakeOutbox: () => void
}

/** Of one transaction. */
const MAX_ASSETS = 1_000
const EVERY_MS = 1_000
/** How often positions are searched that another replica wrote before it knew of the setting. */
const SEARCH_EVERY_MS = 30_000
const MINUTE_MS = 60_000

/**
 * The last reads of minutes (D18.3). Stores those that this process dropped before another replica heard the asset at
 * another place, and turns reads that wait into the first observations of the next minutes, where a setting says so.
 */
export class LastReads {
  readonly #deps: Deps
  readonly #dropped = new Map<number, Observation>()
  #searchedMs = -Infinity
  #job: BackgroundJob | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** A notification of `tellHeardElsewhere`. */
  hear(payload: string): void {
    const { recent, now = Date.now } = this.#deps
    for (const heard of readHeardElsewhere(payload)) {
      const read = recent.heardElsewhere(heard, now())
      if (!read) continue
      const { orgId, assetId } = heard
      this.#dropped.set(assetId, { orgId, ...read, isJudged: true, ...NOT_READ })
      this.#job?.wake()
    }
  }

  start({ log, registry }: { log: Logger; registry?: Registry }): void {
    this.#job = startBackgroundJob({ name: 'last-reads', everyMs: EVERY_MS, log, registry }, () =>
      this.turn(),
    )
  }

  /** Dropped reads first: one of them may be later than a read that waits. */
  async turn(): Promise<void> {
    await this.#storeDropped()
    await this.#search()
    for (let due = await this.#due(); due.length > 0; due = await this.#due()) {
      await this.#carry(due)
      if (due.length < MAX_ASSETS) break
    }
  }

  stop(): Promise<void> {
    return this.#job?.stop() ?? Promise.resolve()
  }

  #due(): Promise<(AssetKey & { minute: number })[]> {
    const { db, now = Date.now } = this.#deps
    return findDueToCarry(db, now(), MAX_ASSETS)
  }

  async #search(): Promise<void> {
    const { db, now = Date.now } = this.#deps
    if (now() - this.#searchedMs < SEARCH_EVERY_MS) return
    await carryWaiting(db, now())
    this.#searchedMs = now()
  }

  async #storeDropped(): Promise<void> {
    const reads = [...this.#dropped.values()].slice(0, MAX_ASSETS)
    if (reads.length === 0) return
    const instants = reads.map(({ observedAtMs }) => observedAtMs)
    await this.#store(instants, (deps, tx) => storeScans(tx, deps, reads))
    for (const read of reads) if (this.#dropped.get(read.assetId) === read) this.#dropped.delete(read.assetId)
  }

  async #carry(due: readonly (AssetKey & { minute: number })[]): Promise<void> {
    const instants = due.map(({ minute }) => (minute + 1) * MINUTE_MS)
    await this.#store(instants, (deps, tx) => storeCarried(tx, deps, due))
  }

  async #store(
    instants: readonly number[],
    step: (deps: Deps, tx: Parameters<Parameters<InTransaction>[0]>[0]) => Promise<Stored>,
  ): Promise<void> {
    const { db, resolver, recent, wakeOutbox } = this.#deps
    const inTransaction: InTransaction = (work) =>
      withMonths(db, instants, () => db.transaction().execute(work))
    const stored = await commitWithNames(resolver, inTransaction, (tx) => step(this.#deps, tx))
    recent.add(stored.positions)
    if (stored.movements > 0) wakeOutbox()
  }
}
