type Span = { fromMs: number; toMs: number }

const MINUTE_MS = 60_000
/** A span has at most two days of a device, also when its clock is changed between them. */
const DAYS_AHEAD = [0, 1]

/**
 * The instant of a span when the clock of this device shows `time`, as `14:00`: the first, if it shows it twice. If it
 * never does, the nearest end. Undefined while the time is not complete.
 */
export function instantOf(time: string, { fromMs, toMs }: Span): number | undefined {
  const [, hours, minutes, seconds] = /^(\d\d):(\d\d)(?::(\d\d))?/.exec(time) ?? []
  if (hours === undefined) return undefined
  const on = new Date(fromMs)
  const [year, month, day] = [on.getFullYear(), on.getMonth(), on.getDate()]
  const instants = DAYS_AHEAD.map((ahead) =>
    new Date(year, month, day + ahead, Number(hours), Number(minutes), Number(seconds ?? 0)).getTime(),
  )
  const within = instants.find((ms) => ms >= fromMs && ms <= toMs)
  if (within !== undefined) return within
  const far = (ms: number) => Math.max(fromMs - ms, ms - toMs)
  const nearest = instants.reduce((best, ms) => (far(ms) < far(best) ? ms : best))
  return nearest < fromMs ? fromMs : toMs
}

/** `14:00`, as an input for a time has it. */
export function timeOf(ms: number): string {
  const at = new Date(ms)
  return [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
}

/** How far a key moves. */
const STEPS: Readonly<Record<string, readonly [stepMs: number, direction: 1 | -1]>> = {
  ArrowRight: [MINUTE_MS, 1],
  ArrowUp: [MINUTE_MS, 1],
  ArrowLeft: [MINUTE_MS, -1],
  ArrowDown: [MINUTE_MS, -1],
  PageUp: [10 * MINUTE_MS, 1],
  PageDown: [10 * MINUTE_MS, -1],
}

/** Where a key of a slider leads; undefined for other keys. */
export function afterKey(key: string, at: number, { fromMs, toMs }: Span): number | undefined {
  if (key === 'Home') return fromMs
  if (key === 'End') return toMs
  const step = STEPS[key]
  if (!step) return undefined
  return Math.min(toMs, Math.max(fromMs, at + step[0] * step[1]))
}
