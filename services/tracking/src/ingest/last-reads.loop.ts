import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import type { Kysely } from 'kysely'
import type { Tables } from '../db.ts'
import { withDays } from '../positions/partitions/missing-days.ts'
import type { AssetKey } from '../positions/position.ts'
import { carryWaiting } from '../positions/waiting.queries.ts'
import type { CatalogResolver } from '../catalog/catalog-resolver.ts'
import { ERASED, readHeardElsewhere } from './places/heard-elsewhere.ts'
import { findDueToCarry } from './last-reads.queries.ts'
import { commitWithNames, type InTransaction } from './rows/names.ts'
import { NOT_READ } from '../positions/cause.ts'
import type { Observation } from '../positions/observation.ts'
import { isJudging } from '../positions/rules.ts'
import type { RecentMinutes } from './places/recent-minutes.ts'
import type { StoreDeps } from './rows/decide-all.ts'
import { storeCarried, storeScans, type Stored } from './rows/store.ts'

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
/** After its minute, when nothing came since. */
const SETTLED_MS = 5_000
/** Reads that are not stored yet. With more, each is stored at once. */
const MAX_DEFERRED = 100_000

type Pending = { read: Observation; dueMs: number }

/**
 * The last reads of minutes (D18.3). Of an asset that is read at two places in turn, only the last read of the minute is
 * stored, after the minute. Stores what this process dropped before another replica heard the asset elsewhere, and turns reads that wait into the first observations of the next minutes, where a setting says so.
 */
export class LastReads {
  readonly #deps: Deps
  readonly #pending = new Map<number, Pending>()
  #searchedMs = -Infinity
  #job: BackgroundJob | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** A notification of `tellHeardElsewhere`. */
  hear(payload: string): void {
    const { recent, now = Date.now } = this.#deps
    for (const heard of readHeardElsewhere(payload)) {
      if (heard.minute === ERASED) {
        recent.forget(heard.assetId)
        const kept = this.#pending.get(heard.assetId)
        if (kept && kept.read.observedAtMs <= (heard.at ?? Infinity)) this.#pending.delete(heard.assetId)
        continue
      }
      const read = recent.heardElsewhere(heard, now())
      if (!read) continue
      this.#add({ orgId: heard.orgId, ...read, isJudged: true, ...NOT_READ }, -Infinity)
      this.#job?.wake()
    }
  }

  /**
   * Whether the read is kept here until its minute has ended, because it only matters if it is the last one. Only where a
   * read that waits is shown and changes nothing else. The first one at another place is always stored at once.
   */
  defer(read: Observation, recent: RecentMinutes): boolean {
    const rules = this.#deps.rulesOf(read.orgId)
    if (rules.passages === 'carry' || isJudging(rules) || this.#pending.size >= MAX_DEFERRED) return false
    if (!recent.isOnlyPerhapsLast(read)) return false
    this.#add(read, (read.minute + 1) * MINUTE_MS + SETTLED_MS)
    return true
  }

  #add(read: Observation, dueMs: number): void {
    const before = this.#pending.get(read.assetId)
    if (before && before.read.observedAtMs > read.observedAtMs) return
    this.#pending.set(read.assetId, { read, dueMs })
  }

  start({ log, registry }: { log: Logger; registry?: Registry }): void {
    this.#job = startBackgroundJob({ name: 'last-reads', everyMs: EVERY_MS, log, registry }, () =>
      this.turn(),
    )
  }

  /** Pending reads first: one of them may be later than a read that waits. */
  async turn(): Promise<void> {
    const { now = Date.now } = this.#deps
    await this.#storePending(now())
    await this.#search()
    for (let due = await this.#due(); due.length > 0; due = await this.#due()) {
      await this.#carry(due)
      if (due.length < MAX_ASSETS) break
    }
  }

  /** Stores what is pending. */
  async stop(): Promise<void> {
    await this.#job?.stop()
    await this.#storePending(Infinity)
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

  async #storePending(nowMs: number): Promise<void> {
    const due = [...this.#pending.values()].filter(({ dueMs }) => dueMs <= nowMs)
    for (let at = 0; at < due.length; at += MAX_ASSETS) {
      const some = due.slice(at, at + MAX_ASSETS)
      const reads = some.map(({ read }) => read).filter((read) => !this.#deps.recent.isPassed(read))
      const instants = reads.map(({ observedAtMs }) => observedAtMs)
      if (reads.length > 0) await this.#store(instants, (deps, tx) => storeScans(tx, deps, reads))
      for (const pending of some)
        if (this.#pending.get(pending.read.assetId) === pending) this.#pending.delete(pending.read.assetId)
    }
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
      withDays(db, instants, () => db.transaction().execute(work))
    const stored = await commitWithNames(resolver, inTransaction, (tx) => step(this.#deps, tx))
    recent.add(stored.positions)
    if (stored.movements > 0) wakeOutbox()
  }
}
