import { kinds, ruleOf, type Kind } from './kinds.ts'
import { randomOf, type Random } from './random.ts'

/** One fault of a plan. `index` names it in `--only`. */
export type Fault = {
  index: number
  /** From the start of the load. */
  atMs: number
  kind: Kind
  /** A replica, a connection, `broker` or `postgres`. */
  target: string
  durationMs: number
  /** Delay in ms, bytes per second or shift of a clock in ms, depending on the kind; otherwise 0. */
  amount: number
}

export type PlanOptions = {
  seed: number
  minutes: number
  /** The average time between the starts of two faults. */
  everyMs: number
}

/** The load runs without a fault first. */
const FIRST_MS = 4_000
/** Between the end of a fault and the next one of the same target, so that the target has worked again. */
const REST_MS = 20_000
/** What a restart may take, besides the duration. */
const RESTART_MS = 10_000

/** A pure function of its options: the same ones give the same faults. */
export function planOf({ seed, minutes, everyMs }: PlanOptions): Fault[] {
  const random = randomOf(seed, 'plan')
  const busyUntil = new Map<string, number>()
  const faults: Fault[] = []
  for (let atMs = FIRST_MS; atMs < minutes * 60_000; atMs += everyMs * (0.5 + random.next())) {
    const fault = draw(random, { index: faults.length, atMs: Math.round(atMs) }, busyUntil)
    if (!fault) continue
    busyUntil.set(fault.target, fault.atMs + fault.durationMs + RESTART_MS + REST_MS)
    faults.push(fault)
  }
  return faults
}

const DRAWS = 20

/** Undefined if all drawn targets are still busy. */
function draw(
  random: Random,
  place: { index: number; atMs: number },
  busyUntil: ReadonlyMap<string, number>,
): Fault | undefined {
  for (let i = 0; i < DRAWS; i += 1) {
    const kind = pickKind(random)
    const { targets, ms, amount, signed } = ruleOf(kind)
    const fault = {
      ...place,
      kind,
      target: random.pick(targets),
      durationMs: random.whole(...ms),
      amount: amount ? random.whole(...amount) * (signed && random.next() < 0.5 ? -1 : 1) : 0,
    }
    if ((busyUntil.get(fault.target) ?? 0) <= fault.atMs) return fault
  }
  return undefined
}

const TOTAL_WEIGHT = kinds.reduce((sum, kind) => sum + ruleOf(kind).weight, 0)

function pickKind(random: Random): Kind {
  let left = random.next() * TOTAL_WEIGHT
  for (const kind of kinds) {
    left -= ruleOf(kind).weight
    if (left < 0) return kind
  }
  throw new Error('the weights do not add up')
}

/** A line for people: `#12 at 83.4 s: freeze tracking-1 for 4.2 s`. */
export function describeFault({ index, atMs, kind, target, durationMs, amount }: Fault): string {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  const extent = amount === 0 ? '' : `, ${UNITS[kind]?.(amount) ?? amount}`
  return `#${index} at ${seconds(atMs)}: ${kind} ${target} for ${seconds(durationMs)}${extent}`
}

const UNITS: Partial<Record<Kind, (amount: number) => string>> = {
  slow: (ms) => `${ms} ms late`,
  throttle: (bytes) => `${bytes} bytes a second`,
  clock: (ms) => `shifted by ${ms} ms`,
  'reader-clock': (ms) => `shifted by ${ms} ms`,
}
