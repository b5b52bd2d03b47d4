import { countText } from '../../../parts/table/count-text.ts'

/** In seconds. People choose among the last three; a program may have stored seconds. */
const UNITS = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 } as const
export type Unit = keyof typeof UNITS
export const isUnit = (text: string): text is Unit => Object.hasOwn(UNITS, text)

/** A length of time as it is typed. */
export type Duration = { amount: string; unit: Unit }

/** What people choose from; seconds only if they are there already. */
export const unitsWith = (current: Unit): readonly Unit[] =>
  current === 'seconds' ? ['seconds', 'minutes', 'hours', 'days'] : ['minutes', 'hours', 'days']

/** In the largest unit that has no fraction: 5400 is 90 minutes. */
export function durationOf(seconds: number): Duration {
  const units = Object.keys(UNITS) as Unit[]
  const unit = units.findLast((one) => seconds >= UNITS[one] && seconds % UNITS[one] === 0) ?? 'seconds'
  return { amount: String(seconds / UNITS[unit]), unit }
}

/** Undefined while nothing is typed. */
export const secondsOf = ({ amount, unit }: Duration): number | undefined =>
  /^\d+$/.test(amount) ? Number(amount) * UNITS[unit] : undefined

/** `90 minutes`, `1 day`. */
export function durationWords(seconds: number): string {
  const { amount, unit } = durationOf(seconds)
  return countText(Number(amount), unit)
}

/** What to enter, or undefined if the time is good. */
export function durationProblem(duration: Duration, min: number, max: number): string | undefined {
  const seconds = secondsOf(duration)
  return seconds !== undefined && seconds >= min && seconds <= max
    ? undefined
    : `Enter a time from ${durationWords(min)} to ${durationWords(max)}.`
}
