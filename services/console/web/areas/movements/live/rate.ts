export const STEP_MS = 10_000
export const STEPS = 30
const LAST_MINUTE = 60_000 / STEP_MS

/** Movements per step of the last minutes, by the clock of the server. */
export type Rate = {
  /** The key is the number of the step since 1970. */
  counts: ReadonlyMap<number, number>
  /** Nothing before is counted. */
  sinceMs: number
  /** It began with the past of all steps. */
  coversChart: boolean
  /** The clock of the server minus that of this device. */
  offsetMs: number
  /** Counts contain everything up to this event. */
  upTo: string
}

/** What the API reports of the last minutes. */
export type Past = { from: string; to: string; last_event_id: string; steps: { at: string; moves: number }[] }

export type Arrival = { id: string; atMs: number }

const stepOf = (ms: number) => Math.floor(ms / STEP_MS)

/** Starts with the past, and adds what has arrived after it. */
export function rateOf(past: Past, arrivals: readonly Arrival[], nowMs: number): Rate {
  const counts = new Map(past.steps.map(({ at, moves }) => [stepOf(Date.parse(at)), moves]))
  const offsetMs = Date.parse(past.to) - nowMs
  const sinceMs = Date.parse(past.from)
  const coversChart = stepOf(sinceMs) <= stepOf(Date.parse(past.to)) - STEPS + 1
  return add({ counts, sinceMs, coversChart, offsetMs, upTo: past.last_event_id }, arrivals)
}

/** When the past is not known. */
export const rateFrom = (sinceMs: number, arrivals: readonly Arrival[]): Rate =>
  add({ counts: new Map(), sinceMs, coversChart: false, offsetMs: 0, upTo: '' }, arrivals)

/** Counts by time of arrival: a late movement counts now. */
export function add(rate: Rate, arrivals: readonly Arrival[]): Rate {
  const fresh = arrivals.filter(({ id }) => rate.upTo === '' || isAfter(id, rate.upTo))
  const newest = Math.max(0, ...fresh.map(({ atMs }) => stepOf(atMs + rate.offsetMs)))
  const counts = new Map([...rate.counts].filter(([step]) => step > newest - STEPS))
  for (const { atMs } of fresh) {
    const step = stepOf(atMs + rate.offsetMs)
    counts.set(step, (counts.get(step) ?? 0) + 1)
  }
  return { ...rate, counts }
}

export type RatePoint = { atMs: number; movements: number }

/** All steps up to now, oldest first, including empty ones. `deviceMs` is the time of this device. */
export function pointsOf({ counts, offsetMs }: Rate, deviceMs: number): RatePoint[] {
  const now = Math.max(stepOf(deviceMs + offsetMs), ...counts.keys())
  return Array.from({ length: STEPS }, (_, i) => {
    const step = now - STEPS + 1 + i
    return { atMs: step * STEP_MS, movements: counts.get(step) ?? 0 }
  })
}

const sum = (points: readonly RatePoint[]) => points.reduce((all, { movements }) => all + movements, 0)

const MINUTES = (STEPS * STEP_MS) / 60_000
const clock = ({ sinceMs, offsetMs }: Rate) => new Date(sinceMs - offsetMs).toLocaleTimeString()

/** Says since when it counts if that is less than the chart shows. */
export function rateText(rate: Rate, points: readonly RatePoint[]): string {
  const number = new Intl.NumberFormat()
  const startOf = (steps: number) => points.at(-steps)?.atMs ?? 0
  const lastMinute = `${number.format(sum(points.slice(-LAST_MINUTE)))} in the last minute`
  const all = number.format(sum(points))
  if (rate.sinceMs <= startOf(STEPS)) return `${lastMinute}, ${all} in the last ${MINUTES} minutes`
  const since = `${all} since ${clock(rate)}`
  return rate.sinceMs <= startOf(LAST_MINUTE) ? `${lastMinute}, ${since}` : since
}

/** When nothing has moved. */
export const emptyText = (rate: Rate): string =>
  rate.coversChart ? `Nothing moved in the last ${MINUTES} minutes` : `No movements since ${clock(rate)}`

/** An event id is a sequence, a dash and the epoch of the stream; a re-created stream has another epoch. */
const partsOf = (id: string) => {
  const [, seq = '', epoch = ''] = /^(\d+)-(.+)$/.exec(id) ?? []
  return { seq: Number(seq), epoch }
}

/** True as well for an event of another epoch: its sequence says nothing. */
function isAfter(id: string, earlier: string): boolean {
  const [a, b] = [partsOf(id), partsOf(earlier)]
  return a.epoch !== b.epoch || a.seq > b.seq
}
