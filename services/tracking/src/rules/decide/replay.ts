import { begin, elapse, end, holdsAt, move, type Held, type Hold, type Outcome, type Step } from './holds.ts'
import { isOfMovements, type Rule } from './rule.ts'

/** What history says about one asset, from an instant on. */
export type Track = {
  assetId: number
  /** Where it was then, and since when it has been in the places of the rule, or away from home, without a break. */
  placeId: number | null
  sinceMs: number | null
  /** When it was last seen before; null for never. */
  seenMs: number | null
  /** In the order of time. */
  steps: readonly Step[]
  /** When it was seen, in the order of time. Only for `not_seen_for`; a pause that is too short may be left out. */
  seen?: readonly number[]
  deletedMs?: number | null
}

export type ReplayedAlert = {
  assetId: number
  placeId: number | null
  raisedMs: number
  resolvedMs: number | null
  because: 'condition' | 'timeout' | 'subject_deleted' | null
}

type Event = { atMs: number; step?: Step; isLook?: true }

/**
 * The alerts that a rule would have raised about one asset, by the same steps as live. `looks`: when `missing_at` looks, in the
 * order of time. The rule looks from the beginning of the track, as if it had always been there.
 */
export function replay(
  rule: Rule,
  track: Track,
  { toMs, looks = [] }: { toMs: number; looks?: readonly number[] },
): ReplayedAlert[] {
  const replaying = new Replaying(rule, track)
  const untilMs = Math.min(toMs, track.deletedMs ?? Infinity)
  for (const event of eventsOf(track, looks)) {
    if (event.atMs > untilMs) break
    replaying.take(event)
  }
  replaying.until(untilMs)
  if (untilMs < toMs) replaying.delete(untilMs)
  return replaying.alerts
}

/** A movement at the instant of a look comes first. */
function eventsOf({ steps, seen = [] }: Track, looks: readonly number[]): Event[] {
  const events: Event[] = [
    ...steps.map((step) => ({ atMs: step.atMs, step })),
    ...seen.map((atMs) => ({ atMs })),
    ...looks.map((atMs) => ({ atMs, isLook: true as const })),
  ]
  return events.toSorted((a, b) => a.atMs - b.atMs)
}

class Replaying {
  readonly alerts: ReplayedAlert[] = []
  readonly #rule: Rule
  readonly #assetId: number
  #placeId: number | null
  #hold: Hold | undefined

  constructor(rule: Rule, { assetId, placeId, sinceMs, seenMs }: Track) {
    this.#rule = rule
    this.#assetId = assetId
    this.#placeId = placeId
    const beganMs = rule.kind === 'not_seen_for' ? seenMs : sinceMs
    const mayHold = rule.kind === 'not_seen_for' ? rule.isInside(placeId) : holdsAt(rule, assetId, placeId)
    if (beganMs !== null && mayHold && !isOfMovements(rule) && rule.kind !== 'missing_at')
      this.#hold = begin(rule, beganMs)
  }

  take({ atMs, step, isLook }: Event): void {
    if (isLook) this.#look(atMs)
    else if (this.#rule.kind === 'not_seen_for') this.#see(atMs, step)
    else if (step) this.#note(move(this.#rule, this.#hold, step), this.#placeId, step.to)
    if (step) this.#placeId = step.to
  }

  #look(atMs: number): void {
    if (this.#hold) return this.until(atMs)
    if (!holdsAt(this.#rule, this.#assetId, this.#placeId)) return
    this.#note(elapse(this.#rule, begin(this.#rule, atMs), atMs), this.#placeId)
  }

  #see(atMs: number, step: Step | undefined): void {
    if (this.#hold) this.#note(end(this.#rule, this.#hold, atMs), this.#placeId)
    if (this.#rule.isInside(step ? step.to : this.#placeId)) this.#hold = begin(this.#rule, atMs)
  }

  until(atMs: number): void {
    if (this.#hold) this.#note(elapse(this.#rule, this.#hold, atMs), this.#placeId)
  }

  delete(atMs: number): void {
    if (this.#hold && this.#hold.raisedMs !== null) this.#resolve(atMs, 'subject_deleted')
    this.#hold = undefined
  }

  /** An alert that was due before the asset moved is about the location before. */
  #note({ hold, outcomes }: Held, before: number | null, after = before): void {
    const origin = this.#hold?.originId ?? hold?.originId ?? null
    const place = this.#hold ? before : after
    for (const outcome of outcomes) this.#noteOutcome(outcome, this.#rule.kind === 'left' ? origin : place)
    this.#hold = hold
  }

  #noteOutcome(outcome: Outcome, placeId: number | null): void {
    if (outcome.what === 'resolved') return this.#resolve(outcome.atMs, outcome.because)
    const { atMs: raisedMs } = outcome
    this.alerts.push({ assetId: this.#assetId, placeId, raisedMs, resolvedMs: null, because: null })
  }

  #resolve(resolvedMs: number, because: ReplayedAlert['because']): void {
    const open = this.alerts.at(-1)
    if (open) Object.assign(open, { resolvedMs, because })
  }
}
