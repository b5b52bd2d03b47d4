import type { RuleSchedule } from '@whereabouts/contracts/resources/rules/rules'
import { instantOf, localDayAt, timeOfDay, weekdayOf, type LocalDay } from './local-time.ts'

/** Days that are kept: those of a preview. */
const MOST_DAYS = 64

/** When a rule may raise alerts: on some days of the week, between two times in the zone of the organization (D14.3). */
export class Schedule {
  readonly #schedule: RuleSchedule
  readonly #zone: string
  readonly #windows = new Map<LocalDay, readonly [fromMs: number, toMs: number]>()

  constructor(schedule: RuleSchedule, zone: string) {
    this.#schedule = schedule
    this.#zone = zone
  }

  /** The first instant from this one on at which the schedule is open. */
  openFrom(ms: number): number {
    const today = localDayAt(ms, this.#zone)
    // A window that began yesterday may end today, and a week later a window of the same day follows.
    for (let day = today - 1; day <= today + 8; day += 1) {
      if (!this.#schedule.days.includes(weekdayOf(day))) continue
      const [fromMs, toMs] = this.#windowOf(day)
      if (fromMs < toMs && ms < toMs) return Math.max(ms, fromMs)
    }
    throw new Error('a schedule has at least one day') // see RuleSchedule
  }

  /** Of the day on which it begins. It ends on the next day, if its end is the earlier time. */
  #windowOf(day: LocalDay): readonly [number, number] {
    const known = this.#windows.get(day)
    if (known) return known
    const [from, to] = [timeOfDay(this.#schedule.from), timeOfDay(this.#schedule.to)]
    const window = [
      instantOf(day, from, this.#zone),
      instantOf(to < from ? day + 1 : day, to, this.#zone),
    ] as const
    if (this.#windows.size === MOST_DAYS) this.#windows.clear()
    this.#windows.set(day, window)
    return window
  }
}
