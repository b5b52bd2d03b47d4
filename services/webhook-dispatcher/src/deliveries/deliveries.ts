import { setTimeout as delay } from 'node:timers/promises'
import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Db } from '../db.ts'
import { statusOf } from '../subscriptions/subscriptions.ts'
import { claimEndpoints } from './claims.queries.ts'
import { Endpoint } from './endpoint.ts'
import { ASK_EVERY_MS, outcomeOf, postponed, type Ending, type OutcomeDeps } from './outcome.ts'
import { saveResults, type Progress, type Result } from './results.queries.ts'
import { findWork, type Asked, type Found, type Target, type Work } from './work.queries.ts'

/** A process that disappears leaves its endpoints to others after this time. */
const LEASE_MS = 10_000
/** How often all endpoints are looked at: for rows that are due, and for what other processes left. */
const SWEEP_MS = 500
/** How often a served endpoint is looked at although nothing of it was recorded: for a replay or a resend. */
const LOOK_AGAIN_MS = 2_000
const MOST_HELD = 1_000
/** Deliveries of an endpoint in memory. */
const MOST_OPEN = 100
const MOST_SAVED = 500
/** Results that wait for the database. Above that, nothing begins. */
const MOST_UNSAVED = 2_000
export type DeliveriesDeps = OutcomeDeps & {
  across: Db
  /** A UUID of this process. */
  worker: string
  leaseMs?: number | undefined
}

type Ended = { endpoint: Endpoint; work: Work; result: Result; leavesRow: boolean }

/**
 * Makes the deliveries of the endpoints that it claims: reads what they can begin, makes one attempt of each, saves what
 * became of it. What waits is in the database; only what is under way is in memory.
 */
export class Deliveries {
  readonly #deps: DeliveriesDeps
  readonly #leaseMs: number
  readonly #held = new Map<number, Endpoint>()
  readonly #woken = new Set<number>()
  readonly #ended: Ended[] = []
  readonly #running = new Set<Promise<void>>()
  readonly #abort = new AbortController()
  #taking: BackgroundJob | undefined
  #saving: BackgroundJob | undefined
  #sweptAt = 0
  #isStopping = false

  constructor(deps: DeliveriesDeps) {
    this.#deps = deps
    this.#leaseMs = deps.leaseMs ?? LEASE_MS
  }

  start(): void {
    const { log } = this.#deps
    this.#taking = startBackgroundJob({ name: 'deliveries', everyMs: SWEEP_MS, log }, () => this.#take())
    this.#saving = startBackgroundJob({ name: 'delivery-results', everyMs: SWEEP_MS, log }, () =>
      this.#save(),
    )
  }

  /** Events of these organizations were recorded. */
  wake(orgIds: Iterable<number>): void {
    for (const orgId of orgIds) this.#woken.add(orgId)
    for (const endpoint of this.#held.values()) if (this.#woken.has(endpoint.orgId)) endpoint.hasMore = true
    this.#taking?.wake()
  }

  /** For metrics: endpoints that this process serves. */
  held(): number {
    return this.#held.size
  }

  /** Lets requests under way end, for at most `graceMs`, and leaves everything else to other processes. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true
    await this.#taking?.stop()
    const grace = new AbortController()
    void delay(graceMs, undefined, { signal: grace.signal, ref: false }).then(
      () => this.#abort.abort(),
      () => undefined,
    )
    await Promise.all(this.#running)
    grace.abort()
    await this.#saving?.stop()
    do await this.#save()
    while (this.#ended.length > 0)
  }

  async #take(): Promise<{ nextInMs: number }> {
    if (this.#isStopping || this.#ended.length > MOST_UNSAVED) return { nextInMs: SWEEP_MS }
    await this.#claim()
    const asked = this.#share(Date.now())
    if (asked.length > 0) {
      const found = await this.#look(asked)
      const kept = new Set(found.map(({ target }) => target.id))
      for (const { id } of asked) if (!kept.has(id)) this.#held.delete(id) // another process has it now
      for (const one of found) this.#begin(one, asked.find(({ id }) => id === one.target.id)?.want ?? 0)
    }
    const now = Date.now()
    if ([...this.#held.values()].some((endpoint) => this.#isToSave(endpoint, now))) this.#saving?.wake()
    return { nextInMs: this.#pause(now) }
  }

  async #look(asked: readonly Asked[]): Promise<Found[]> {
    const endpoints = asked.flatMap(({ id }) => this.#held.get(id) ?? [])
    for (const endpoint of endpoints) endpoint.beginLook()
    try {
      return await findWork(this.#deps.across, this.#deps.worker, asked)
    } catch (error) {
      for (const endpoint of endpoints) endpoint.lookFailed()
      throw error
    }
  }

  async #claim(): Promise<void> {
    const now = Date.now()
    const sweeps = now - this.#sweptAt >= SWEEP_MS
    const { slots, across, worker } = this.#deps
    const most = Math.min(slots.free('well') + slots.free('slow'), MOST_HELD - this.#held.size)
    if (most <= 0 || (!sweeps && this.#woken.size === 0)) return
    const orgIds = sweeps ? undefined : [...this.#woken]
    this.#woken.clear()
    if (sweeps)
      for (const endpoint of this.#held.values())
        if (now - endpoint.servedAt > LOOK_AGAIN_MS) endpoint.hasMore = true
    const claims = await claimEndpoints(across, { worker, leaseMs: this.#leaseMs, orgIds, most })
    if (sweeps) this.#sweptAt = now
    for (const claim of claims)
      if (!this.#held.has(claim.id)) this.#held.set(claim.id, new Endpoint(claim, Date.now()))
  }

  /** What each endpoint may begin now. Those served longest ago come first, and few free places are divided. */
  #share(now: number): Asked[] {
    const { slots, concurrency } = this.#deps
    const ready = [...this.#held.values()].filter((endpoint) => endpoint.isReady(now))
    ready.sort((a, b) => a.servedAt - b.servedAt)
    const free = { well: slots.free('well'), slow: slots.free('slow') }
    const many = { well: 0, slow: 0 }
    for (const { id } of ready) many[slots.shareOf(id)] += 1
    const each = {
      well: Math.max(1, Math.floor(free.well / Math.max(1, many.well))),
      slow: Math.max(1, Math.floor(free.slow / Math.max(1, many.slow))),
    }
    return ready.flatMap(({ id, read, running, unsaved }) => {
      const share = slots.shareOf(id)
      const want = Math.min(concurrency.allowed(id) - running, MOST_OPEN - unsaved, each[share], free[share])
      if (want <= 0) return []
      free[share] -= want
      const { moves, others } = read
      return { id, moves, others, want, running: unsaved }
    })
  }

  /** Until something is ready. What waits for a place is woken by the end of a request. */
  #pause(now: number): number {
    if (this.#share(now).length > 0) return 0
    const times = [...this.#held.values()].map((one) => one.readyAt()).filter((at) => at > now)
    return Math.max(0, Math.min(SWEEP_MS, ...times.map((at) => at - now)))
  }

  #begin(found: Found, want: number): void {
    const { target } = found
    const endpoint = this.#held.get(target.id)
    if (!endpoint) return
    const now = Date.now()
    const { subscriptions } = this.#deps
    if (statusOf(subscriptions.get('org', target.org_id), now) === 'unknown')
      return this.#askFor(endpoint, now)
    const { begun, blocked } = endpoint.take(found, want, now)
    for (const work of blocked) this.#end(endpoint, work, postponed())
    for (const work of begun) this.#run(endpoint, target, work)
  }

  #askFor(endpoint: Endpoint, now: number): void {
    endpoint.lookFailed()
    endpoint.pausedUntil = now + ASK_EVERY_MS
    const { subscriptions, log } = this.#deps
    log.warn({ org_id: endpoint.orgId }, 'deliveries wait for the subscription of the organization')
    const ask = async () => {
      if (!(await subscriptions.ask('org', endpoint.orgId))) return
      endpoint.pausedUntil = 0
      this.#taking?.wake()
    }
    ask().catch((error: unknown) => log.warn({ err: error, org_id: endpoint.orgId }, 'keys was not asked'))
  }

  #run(endpoint: Endpoint, target: Target, work: Work): void {
    endpoint.running += 1
    const done = outcomeOf(this.#deps, target, work, this.#abort.signal)
      .then((ending) => ending && this.#end(endpoint, work, ending))
      .finally(() => {
        endpoint.running -= 1
        this.#running.delete(done)
        this.#taking?.wake()
      })
    this.#running.add(done)
  }

  #end(endpoint: Endpoint, work: Work, { leavesRow = true, ...ending }: Ending): void {
    const { delivery_id, type, thing, occurred_at, seq } = work
    const attempts = work.attempts + (ending.attempt ? 1 : 0)
    const about = {
      webhook_id: endpoint.id,
      org_id: endpoint.orgId,
      seq,
      delivery_id,
      type,
      thing,
      occurred_at,
    }
    this.#ended.push({ endpoint, work, leavesRow, result: { ...about, attempts, ...ending } })
    endpoint.ended(work, ending.state === 'waiting')
    this.#saving?.wake()
  }

  #isToSave(endpoint: Endpoint, now: number): boolean {
    return endpoint.isIdle(now) || now - endpoint.renewedAt > this.#leaseMs / 3
  }

  async #save(): Promise<{ nextInMs: number }> {
    const { across, worker } = this.#deps
    const now = Date.now()
    const batch = this.#ended.slice(0, MOST_SAVED)
    const saving = new Set(batch.map(({ work }) => work))
    const later = new Set(this.#ended.slice(MOST_SAVED).map(({ endpoint }) => endpoint))
    const isOver = (endpoint: Endpoint) => endpoint.running === 0 && !later.has(endpoint)
    const touched = new Set(batch.map(({ endpoint }) => endpoint))
    for (const endpoint of this.#held.values())
      if (this.#isStopping || this.#isToSave(endpoint, now)) touched.add(endpoint)
    if (touched.size === 0) return { nextInMs: SWEEP_MS }
    const progress = [...touched].map((endpoint) => {
      endpoint.isReleasing = this.#isStopping ? isOver(endpoint) : endpoint.isIdle(now)
      return progressOf(endpoint, saving, batch)
    })
    const rows = batch.flatMap(({ leavesRow, result }) => (leavesRow ? result : []))
    try {
      await saveResults(across, { worker, leaseMs: this.#leaseMs }, rows, progress)
    } catch (error) {
      for (const endpoint of touched) endpoint.isReleasing = false
      throw error
    }
    this.#ended.splice(0, batch.length)
    this.#forget(batch, touched, now)
    return { nextInMs: this.#ended.length > 0 ? 0 : SWEEP_MS }
  }

  #forget(batch: readonly Ended[], touched: ReadonlySet<Endpoint>, now: number): void {
    for (const { endpoint, work, result } of batch) {
      for (const behind of endpoint.saved(work)) this.#end(endpoint, behind, postponed())
      if (result.wait_ms !== null) endpoint.dueAt(now + result.wait_ms)
      if (result.thing !== null) endpoint.hasMore = true // what waited for it may be due
    }
    for (const endpoint of touched) {
      endpoint.renewedAt = now
      if (!endpoint.isReleasing) continue
      if (this.#held.get(endpoint.id) === endpoint) this.#held.delete(endpoint.id)
      if (endpoint.hasMore) this.#woken.add(endpoint.orgId) // recorded meanwhile
    }
    this.#taking?.wake()
  }
}

/** Attempts of the batch in their order, by their endpoint. */
function progressOf(endpoint: Endpoint, saving: ReadonlySet<Work>, batch: readonly Ended[]): Progress {
  const attempts = batch.flatMap(({ endpoint: one, result: { attempt, state } }) =>
    one === endpoint && attempt ? { at: attempt.at, isDelivered: state === 'delivered' } : [],
  )
  const last = attempts.findLastIndex(({ isDelivered }) => isDelivered)
  const failures = attempts.slice(last + 1)
  return {
    id: endpoint.id,
    ...endpoint.positionAfter(saving),
    release: endpoint.isReleasing,
    succeeded: last >= 0,
    failed: failures.length,
    failing_since: failures[0]?.at ?? null,
  }
}
