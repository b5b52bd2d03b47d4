import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import type { Kysely } from 'kysely'
import type { Tables, Tx } from '../../db.ts'
import { elapse } from '../decide/holds.ts'
import { neededMs } from '../decide/rule.ts'
import type { BookedRule } from '../settings/rule-book.ts'
import { refreshBook, type RuleDeps } from './apply-steps.ts'
import { Changes } from './changes.ts'
import {
  checkAgain,
  claimRule,
  closeOlder,
  dropOldAlerts,
  listChecks,
  listRoom,
  moveCheck,
  nextAssets,
  oldestDue,
  setChecked,
  useRoom,
  type RuleKey,
} from './clock.queries.ts'
import { lockDueHolds } from './holds.queries.ts'
import { lookAt } from './look.ts'
import { lookForSilent } from './silent-readers.ts'
import { lookForUnseen } from './unseen.ts'
import { settle } from './settle.ts'

type Options = RuleDeps & {
  db: Kysely<Tables>
  /** Up to when all that the broker received is stored, in milliseconds; undefined if that is not known yet. */
  storedUntil: () => Promise<number | undefined>
  /** Sends a message the way of reads, so that `storedUntil` moves on. */
  probe: () => Promise<unknown>
  /** Called after a commit that put events into the outbox. */
  wakeOutbox: () => void
  /** How long resolved alerts are kept. */
  retentionMs: number
  log: Logger
  registry?: Registry
  now?: () => number
  everyMs?: number
}

const AT_ONCE = 500
const PURGE_EVERY_MS = 3_600_000
const SHORTEST_LOOK_MS = 1_000
const LONGEST_LOOK_MS = 60_000

/**
 * What rules say by time alone. Any replica does each piece of work, in a transaction of its own. A hold is due only once all that
 * the broker received until then is stored: a read that waits may say that the condition was over.
 */
export class RuleClock {
  readonly #options: Options
  #job: BackgroundJob | undefined
  #purgedMs = -Infinity
  /** By rule and revision: when it is to look next. */
  readonly #nextLooks = new Map<string, number>()

  constructor(options: Options) {
    this.#options = options
  }

  start(): void {
    const { log, registry, everyMs = SHORTEST_LOOK_MS } = this.#options
    this.#job = startBackgroundJob({ name: 'rules', everyMs, log, registry }, (stopping) =>
      this.turn(stopping),
    )
  }

  wake(): void {
    this.#job?.wake()
  }

  async stop(): Promise<void> {
    await this.#job?.stop()
  }

  async turn(stopping?: AbortSignal): Promise<void> {
    const { db, now = Date.now } = this.#options
    const nowMs = now()
    await this.#check(stopping)
    const due = await oldestDue(db, nowMs)
    const rules = this.#rulesToLook(nowMs)
    if (due === null && rules.length === 0) return this.#purge(nowMs)
    const untilMs = await this.#storedUntil(nowMs, due ?? nowMs)
    if (untilMs === undefined) return
    while (!stopping?.aborted && (await this.#raiseDue(untilMs)) === AT_ONCE);
    for (const rule of rules)
      if (!stopping?.aborted)
        await this.#alone({ org_id: rule.orgId, id: rule.id }, () => this.#look(rule, untilMs))
    await this.#check(stopping)
    await this.#purge(nowMs)
  }

  /** Up to when nothing waits to be stored. Asks for more if that is before `wantedMs`; the next turn has the answer at the latest. */
  async #storedUntil(nowMs: number, wantedMs: number): Promise<number | undefined> {
    const { storedUntil, probe } = this.#options
    const known = await storedUntil()
    if (known !== undefined && known >= wantedMs) return Math.min(known, nowMs)
    await probe()
    const stored = await storedUntil()
    return stored === undefined ? undefined : Math.min(stored, nowMs)
  }

  #rulesToLook(nowMs: number): BookedRule[] {
    const { book } = this.#options
    return book
      .organizations()
      .filter((orgId) => !book.isWaiting(orgId))
      .flatMap((orgId) => book.of(orgId).filter((rule) => isOfClock(rule) && this.#nextLook(rule) <= nowMs))
  }

  #nextLook(rule: BookedRule): number {
    const known = this.#nextLooks.get(`${rule.id} ${rule.revision}`)
    if (known !== undefined) return known
    return rule.kind === 'missing_at' ? rule.nextLook(Date.parse(rule.row.checked_until)) : 0
  }

  /** A rule that fails keeps no other one from being looked at; the next turn retries it. */
  async #alone({ org_id, id: rule_id }: RuleKey, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) =>
      this.#options.log.warn({ err: error, org_id, rule_id }, 'a rule could not be looked at; will retry'),
    )
  }

  async #transaction(work: (tx: Tx) => Promise<number>): Promise<void> {
    const events = await this.#options.db.transaction().execute(work)
    if (events > 0) this.#options.wakeOutbox()
  }

  async #raiseDue(untilMs: number): Promise<number> {
    const { book, view } = this.#options
    let count = 0
    await this.#transaction(async (tx) => {
      const due = await lockDueHolds(tx, { untilMs, waiting: book.waiting() }, AT_ONCE)
      count = due.length
      if (count === 0) return 0
      await refreshBook(tx, book, [...new Set(due.map(({ orgId }) => orgId))])
      const changes = new Changes()
      for (const hold of due) {
        const rule = book.find(hold.orgId, hold.ruleId)
        if (!rule || rule.revision !== hold.revision)
          changes.drop(hold, { atMs: untilMs, because: 'rule_changed' })
        else {
          const type = rule.kind === 'reader_silent' ? 'reader' : 'asset'
          const places = { before: hold.placeId, after: hold.placeId }
          changes.note(rule, { type, id: hold.subjectId }, hold, elapse(rule, hold, untilMs), places)
        }
      }
      return settle(tx, view, changes)
    })
    return count
  }

  /** Rules that changed, or that look at something that did. */
  async #check(stopping: AbortSignal | undefined): Promise<void> {
    const { db, book } = this.#options
    for (const check of await listChecks(db)) {
      if (book.isWaiting(check.org_id)) continue
      await this.#alone(check, async () => {
        for (let left = true; left && !stopping?.aborted;) left = await this.#checkSome(check)
      })
    }
    for (const rule of await listRoom(db))
      await this.#transaction(async (tx) => settle(tx, this.#options.view, await useRoom(tx, rule)))
  }

  async #checkSome(check: RuleKey): Promise<boolean> {
    const { view, now = Date.now } = this.#options
    let left = false
    await this.#transaction(async (tx) => {
      const rule = await claimRule(tx, check)
      if (!rule) return 0
      if (rule.closing !== null) {
        left = true
        return settle(tx, view, await closeOlder(tx, rule, AT_ONCE))
      }
      if (rule.check_after === null) return 0
      const assetIds = await nextAssets(tx, rule, AT_ONCE)
      left = assetIds.length === AT_ONCE
      const look = { orgId: rule.org_id, assetIds, nowMs: now(), ruleId: rule.id }
      const events = assetIds.length === 0 ? 0 : await lookAt(tx, this.#options, look)
      await moveCheck(tx, rule, left ? (assetIds.at(-1) ?? null) : null)
      return events
    })
    return left
  }

  async #look(rule: BookedRule, untilMs: number): Promise<void> {
    for (let left = true; left;) {
      left = false
      await this.#transaction(async (tx) => {
        const claimed = await claimRule(tx, { org_id: rule.orgId, id: rule.id })
        if (!claimed || claimed.revision !== rule.revision || !claimed.enabled) return 0
        const fromMs = Date.parse(claimed.checked_until)
        if (fromMs >= untilMs || claimed.check_after !== null) return 0 // the look before is under way
        const looked = await this.#lookSince(tx, rule, { fromMs, untilMs })
        left = looked.checkedMs < untilMs
        await setChecked(tx, claimed, looked.checkedMs)
        return looked.events
      })
      while (await this.#checkSome({ org_id: rule.orgId, id: rule.id }));
    }
    this.#nextLooks.set(`${rule.id} ${rule.revision}`, nextLookAfter(rule, untilMs))
  }

  async #lookSince(tx: Tx, rule: BookedRule, { fromMs, untilMs }: Span): Promise<Looked> {
    if (rule.kind === 'not_seen_for') return lookForUnseen(tx, this.#options, { rule, fromMs, untilMs })
    if (rule.kind === 'reader_silent') return lookForSilent(tx, this.#options, { rule, untilMs })
    const lookMs = rule.nextLook(fromMs)
    if (lookMs > untilMs) return { checkedMs: untilMs, events: 0 }
    await checkAgain(tx, rule.orgId, [rule.id])
    return { checkedMs: lookMs, events: 0 }
  }

  async #purge(nowMs: number): Promise<void> {
    if (nowMs - this.#purgedMs < PURGE_EVERY_MS) return
    await dropOldAlerts(this.#options.db, nowMs - this.#options.retentionMs)
    this.#purgedMs = nowMs
  }
}

type Span = { fromMs: number; untilMs: number }
export type Looked = { checkedMs: number; events: number }

const isOfClock = ({ kind }: BookedRule) =>
  kind === 'not_seen_for' || kind === 'missing_at' || kind === 'reader_silent'

/** A sixtieth of the time that a rule waits is soon enough. */
function nextLookAfter(rule: BookedRule, nowMs: number): number {
  if (rule.kind === 'missing_at') return rule.nextLook(nowMs)
  const waits = (neededMs(rule) + rule.forMs) / 60
  return nowMs + Math.min(LONGEST_LOOK_MS, Math.max(SHORTEST_LOOK_MS, waits))
}
