import { isOfMovements, neededMs, timeoutMs, type Rule } from './rule.ts'

/**
 * The condition of a rule holds for one subject. `dueMs`: when it raises an alert, or, once `raisedMs` is set, when the alert ends
 * by itself; null for never. `originId`: of `left`, the location that the asset left.
 */
export type Hold = {
  sinceMs: number
  dueMs: number | null
  raisedMs: number | null
  originId: number | null
}

/** An asset came from one location to another. Null: nowhere yet, or read where no location is known. */
export type Step = {
  assetId: number
  atMs: number
  from: number | null
  to: number | null
  /** By a late read, which raises nothing. */
  isLate: boolean
}

export type Outcome =
  | { what: 'raised'; atMs: number }
  | { what: 'resolved'; atMs: number; because: 'condition' | 'timeout' }

/** What becomes of a hold, in the order of time. `hold` is undefined if the condition does not hold any more. */
export type Held = { hold: Hold | undefined; outcomes: Outcome[] }

type Beginning = { isLate?: boolean; nowMs?: number; originId?: number | null }

/** The condition begins to hold. What was true before the rule looked is raised when it looks, or not at all. */
export function begin(
  rule: Rule,
  sinceMs: number,
  { isLate = false, nowMs = Infinity, originId = null }: Beginning = {},
): Hold {
  const trueMs = sinceMs + neededMs(rule) + rule.forMs
  const isPassedOver = (isLate && trueMs <= nowMs) || (!rule.raisesExisting && trueMs <= rule.fromMs)
  const dueMs = isPassedOver ? null : rule.openFrom(Math.max(trueMs, rule.fromMs))
  return { sinceMs, dueMs, raisedMs: null, originId }
}

/** Time passes until this instant: an alert is raised, or ends by itself. */
export function elapse(rule: Rule, hold: Hold, untilMs: number): Held & { hold: Hold } {
  const outcomes: Outcome[] = []
  let { dueMs, raisedMs } = hold
  while (dueMs !== null && dueMs <= untilMs) {
    const atMs = dueMs
    if (raisedMs === null) {
      outcomes.push({ what: 'raised', atMs })
      const timeout = timeoutMs(rule)
      raisedMs = atMs
      dueMs = timeout === undefined ? null : atMs + timeout
    } else {
      outcomes.push({ what: 'resolved', atMs, because: 'timeout' })
      raisedMs = null
      dueMs = null
    }
  }
  return { hold: { ...hold, dueMs, raisedMs }, outcomes }
}

/** The condition ends. */
export function end(rule: Rule, hold: Hold, atMs: number): Held {
  const { hold: until, outcomes } = elapse(rule, hold, atMs)
  if (until.raisedMs !== null) outcomes.push({ what: 'resolved', atMs, because: 'condition' })
  return { hold: undefined, outcomes }
}

/** An asset of the scope moves. `nowMs` decides what a late read is too late for. */
export function move(rule: Rule, hold: Hold | undefined, step: Step, nowMs = Infinity): Held {
  const holds = holdsAt(rule, step.assetId, step.to)
  if (hold) return holds ? elapse(rule, hold, step.atMs) : end(rule, hold, step.atMs)
  if (!holds || !begins(rule, step)) return { hold: undefined, outcomes: [] }
  const originId = rule.kind === 'left' ? step.from : null
  return elapse(rule, begin(rule, step.atMs, { isLate: step.isLate, nowMs, originId }), step.atMs)
}

/** Whether the condition may hold for an asset that is there. */
export function holdsAt(rule: Rule, assetId: number, to: number | null): boolean {
  switch (rule.kind) {
    case 'entered':
    case 'stayed_longer_than':
      return rule.isInside(to)
    case 'left':
    case 'missing_at':
      return !rule.isInside(to)
    case 'away_from_home':
      return rule.isInside(to) && rule.isAtHome(assetId, to) === false
    default:
      return false // it was seen
  }
}

function begins(rule: Rule, { atMs, from, to }: Step): boolean {
  if (rule.kind === 'missing_at') return false // only the clock begins it
  if (!isOfMovements(rule)) return true
  return atMs >= rule.fromMs && rule.isInside(from) !== rule.isInside(to)
}
