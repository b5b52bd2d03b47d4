import type { AlertView } from '@whereabouts/contracts/resources/rules/alerts'
import { epochMs } from '@whereabouts/contracts/rules/instant'
import { withDays } from '../../src/positions/partitions/missing-days.ts'
import { lockPositions } from '../../src/positions/lock-positions.queries.ts'
import { minuteOf, type Observation } from '../../src/positions/observation.ts'
import { NOT_READ } from '../../src/positions/cause.ts'
import { DEFAULT_RULES } from '../../src/positions/rules.ts'
import { storeSaves, storeScans } from '../../src/ingest/rows/store.ts'
import { lookAtCatalog } from '../../src/rules/live/catalog-changes.ts'
import { RuleClock } from '../../src/rules/live/clock.loop.ts'
import { replayPast } from '../../src/rules/preview/preview.ts'
import { draftOf } from '../../src/rules/preview/existing.ts'
import { newSettings } from '../../src/rules/settings/rule-settings.ts'
import { RuleBook } from '../../src/rules/settings/rule-book.ts'
import { toColumns } from '../../src/rules/settings/rules.handlers.ts'
import { readBy } from '../read-by.ts'
import { log, type Tracking } from '../tracking.fixture.ts'
import { FIRST_DAY, type Alert, type Place, type Time, type Timeline } from './timelines.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const instantOf = ({ day = FIRST_DAY }: Timeline, time: Time): number => {
  const [days, clock] = time.split(' ') as [string, string]
  return Date.parse(`${day}T${clock}:00Z`) + Number(days) * DAY_MS
}

/** How a timeline is played. */
export type Way = {
  /** How many replicas take turns. */
  replicas: number
  /** Whether the clock turns before each event, as it does every second, or only at the end, as after an outage. */
  turnsBetween: boolean
  /** Called in each transaction before it commits; may end it. The event is then played again. */
  beforeCommit?: () => void
}

/** The assets, places, and the rule of a timeline, in an organization of its own. */
export class Play {
  readonly #tracking: Tracking
  readonly #timeline: Timeline
  readonly #way: Way
  readonly #orgId: number
  readonly #places = new Map<string, ReturnType<Tracking['catalog']['location']>>()
  #asset: ReturnType<Tracking['catalog']['asset']>
  #books: RuleBook[]
  #nowMs: number
  #turn = 0

  constructor(tracking: Tracking, timeline: Timeline, way: Way, orgId: number) {
    this.#tracking = tracking
    this.#timeline = timeline
    this.#way = way
    this.#orgId = orgId
    const { catalog, worker } = tracking
    const place = (name: string, parent?: string) => {
      const parent_id = parent === undefined ? null : (this.#places.get(parent)?.id ?? null)
      this.#places.set(name, catalog.location(orgId, name, { parent_id }))
    }
    place('Hall')
    place('Dock', 'Hall')
    place('Shelf', 'Hall')
    place('Yard')
    place('Gate', 'Yard')
    this.#asset = catalog.asset(orgId, 'Crate')
    const zoneOf = () => timeline.zone ?? 'UTC'
    this.#books = Array.from(
      { length: way.replicas },
      () => new RuleBook({ ...tracking, db: worker.db, zoneOf, log }),
    )
    this.#nowMs = instantOf(timeline, timeline.day === undefined ? '0 00:00' : '-1 00:00')
  }

  get #book(): RuleBook {
    return this.#books[this.#turn++ % this.#books.length] as RuleBook
  }

  #idOf(place: Place): number | null {
    return place === null ? null : (this.#places.get(place)?.id ?? null)
  }

  get #body() {
    const { rule, places = ['Hall'], types = [] } = this.#timeline
    const scope = { location_ids: places.map((place) => this.#idOf(place) ?? 0), asset_types: types }
    return { name: 'Rule', ...rule, scope }
  }

  /** Plays all events, and returns the alerts. */
  async run(): Promise<Alert[]> {
    await this.#tracking.project()
    await this.#makeRule()
    for (const [time, what] of this.#timeline.events) {
      const atMs = instantOf(this.#timeline, time)
      if (this.#way.turnsBetween) await this.#turnAt(atMs - 1)
      this.#nowMs = atMs
      await this.#again(() => this.#play(atMs, what))
      if (this.#way.turnsBetween) await this.#turnAt(atMs)
    }
    const endMs = instantOf(this.#timeline, this.#timeline.until)
    for (let n = 0; n < 4; n += 1) await this.#turnAt(endMs)
    return this.#alerts()
  }

  async #makeRule(): Promise<void> {
    const at = new Date(this.#nowMs).toISOString()
    await this.#tracking.db.insertInto('rule_set').values({ org_id: this.#orgId, version: 1 }).execute()
    await this.#tracking.db
      .insertInto('rule')
      .values({
        org_id: this.#orgId,
        ...toColumns(newSettings(this.#body)),
        active_from: at,
        checked_until: at,
        problem: null,
        check_after: null, // it looked before the first event
        closing: null,
        deleted_at: null,
      })
      .execute()
    await Promise.all(this.#books.map((book) => book.read(this.#orgId)))
  }

  /** A transaction that ended is begun again, as a message that is delivered again. */
  async #again(work: () => Promise<unknown>): Promise<void> {
    for (let failures = 0; ; failures += 1) {
      try {
        return void (await work())
      } catch (error) {
        if (!(error instanceof Killed) || failures > 20) throw error
      }
    }
  }

  async #turnAt(atMs: number): Promise<void> {
    this.#nowMs = atMs
    const { worker, view } = this.#tracking
    const clock = new RuleClock({
      db: this.#killable(worker.db),
      view,
      book: this.#book,
      storedUntil: async () => atMs,
      probe: async () => undefined,
      wakeOutbox: () => undefined,
      retentionMs: 10_000 * DAY_MS,
      log,
      now: () => atMs,
    })
    // The clock goes on with other rules after a rule fails, and a second later it retries that one.
    for (let deaths = -1; deaths < this.#deaths;) {
      deaths = this.#deaths
      await this.#again(() => clock.turn())
    }
  }
  #deaths = 0

  async #play(atMs: number, what: Timeline['events'][number][1]): Promise<void> {
    const { catalog } = this.#tracking
    if (what === 'delete asset')
      return this.#change(() => catalog.change(this.#asset, { deleted_at: new Date(atMs).toISOString() }))
    if (what === 'is a person') return this.#change(() => catalog.change(this.#asset, { type: 'person' }))
    if (what === 'delete Hall') return this.#move('Hall', { deleted_at: new Date(atMs).toISOString() })
    if (what === 'move Gate into Hall') return this.#move('Gate', { parent_id: this.#idOf('Hall') })
    const isSave = typeof what === 'object' && what !== null && 'save' in what
    const isLate = typeof what === 'object' && what !== null && 'late' in what
    const place = isSave ? what.save : isLate ? what.late : what
    const seen = {
      orgId: this.#orgId,
      assetId: this.#asset.id,
      minute: minuteOf(atMs),
      observedAtMs: atMs,
      locationId: this.#idOf(place),
    }
    const read: Observation = { ...seen, ...readBy('gate'), ...(isLate && { isLate }) }
    const { worker, view } = this.#tracking
    const deps = {
      view,
      rulesOf: () => DEFAULT_RULES,
      book: this.#book,
      now: () => (isLate ? atMs + 90 * MINUTE_MS : atMs),
    }
    await withDays(worker.db, [atMs], () =>
      this.#killable(worker.db)
        .transaction()
        .execute(async (tx) => {
          if (!isSave) {
            await storeScans(tx, deps, [read])
            return
          }
          const current = await lockPositions(tx, [seen])
          await storeSaves(tx, deps, current, [{ ...seen, ...NOT_READ, rssi: null, isJudged: false }])
        }),
    )
  }

  async #change(change: () => void): Promise<void> {
    if (this.#isNewChange()) change()
    await this.#tracking.project()
    await this.#look([this.#asset], [])
  }

  async #move(name: string, changes: object): Promise<void> {
    const place = this.#places.get(name)
    if (place && this.#isNewChange()) this.#tracking.catalog.change(place, changes)
    await this.#tracking.project()
    await this.#look([], place ? [place] : [])
  }

  /** A change that is repeated after a kill has happened in catalog before. */
  #isNewChange(): boolean {
    const isNew = this.#changedMs !== this.#nowMs
    this.#changedMs = this.#nowMs
    return isNew
  }
  #changedMs = Number.NaN

  async #look(
    assets: Parameters<typeof lookAtCatalog>[1],
    locations: Parameters<typeof lookAtCatalog>[2],
  ): Promise<void> {
    const { worker, view } = this.#tracking
    const deps = {
      db: this.#killable(worker.db),
      view,
      book: this.#book,
      wakeOutbox: () => undefined,
      wakeRules: () => undefined,
      now: () => this.#nowMs,
    }
    await lookAtCatalog(deps, assets, locations)
  }

  /** Transactions that may be killed before they commit. */
  #killable(db: Tracking['worker']['db']): Tracking['worker']['db'] {
    const { beforeCommit } = this.#way
    if (!beforeCommit) return db
    return new Proxy(db, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target)
        if (name !== 'transaction')
          return typeof member === 'function' ? (member.bind(target) as unknown) : member
        return () => ({
          execute: (work: (tx: never) => Promise<unknown>) =>
            target.transaction().execute(async (tx) => {
              const done = await work(tx as never)
              try {
                beforeCommit()
              } catch (death) {
                this.#deaths += 1
                throw death
              }
              return done
            }),
        })
      },
    })
  }

  async #alerts(): Promise<Alert[]> {
    const reply = await this.#tracking.call('GET', '/alerts?limit=200', { orgId: this.#orgId })
    const { data } = reply.json<{ data: AlertView[] }>()
    return data
      .toReversed()
      .map((alert) =>
        this.#toAlert(
          epochMs(alert.raised_at),
          alert.resolved_at === null ? null : epochMs(alert.resolved_at),
          alert.resolved_because as Alert[2],
          (alert.location?.name ?? null) as Place,
        ),
      )
  }

  /** What a preview says, after `run`. */
  async past(signal?: AbortSignal): Promise<Alert[]> {
    const { tenants } = this.#tracking
    const book = this.#books[0] as RuleBook
    const fromMs = instantOf(this.#timeline, this.#timeline.day === undefined ? '0 00:00' : '-1 00:00')
    const rule = draftOf(book, this.#orgId, newSettings(this.#body), -Infinity)
    const span = { fromMs, toMs: instantOf(this.#timeline, this.#timeline.until) }
    const { alerts } = await replayPast(tenants.forOrg(this.#orgId), rule, span, {
      most: 100,
      ...(signal && { signal }),
    })
    return alerts
      .toReversed()
      .map(({ raisedMs, resolvedMs, because, placeId }) =>
        this.#toAlert(raisedMs, resolvedMs, because ?? undefined, this.#nameOf(placeId)),
      )
  }

  #nameOf(id: number | null): Place {
    const found = [...this.#places].find(([, place]) => place.id === id)
    return (found?.[0] ?? null) as Place
  }

  #toAlert(raisedMs: number, resolvedMs: number | null, because: Alert[2] | null, place: Place): Alert {
    return [
      this.#timeOf(raisedMs),
      resolvedMs === null ? null : this.#timeOf(resolvedMs),
      because ?? undefined,
      place,
    ]
  }

  #timeOf(ms: number): Time {
    const { day = FIRST_DAY } = this.#timeline
    const days = Math.floor((ms - Date.parse(`${day}T00:00:00Z`)) / DAY_MS)
    return `${days} ${new Date(ms).toISOString().slice(11, 16)}`
  }
}

/** A process died before its transaction was committed. */
export class Killed extends Error {}
