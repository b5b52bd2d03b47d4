const exactFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const clockFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const zonedFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })
const relativeFormat = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

/** In the viewer's time zone, followed by the API value. */
export const exactTime = (instant: string): string => `${exactFormat.format(new Date(instant))} · ${instant}`
export const zonedTime = (instant: string): string => zonedFormat.format(new Date(instant))
export const dayTime = (instant: string): string => dayFormat.format(new Date(instant))
export const clockTime = (instant: string): string => clockFormat.format(new Date(instant))

const STEPS = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 7],
] as const

/** Tolerated difference between the clocks of this device and the server. */
const CLOCKS_DIFFER_S = 30

/** `5 minutes ago`, or a date after a week. */
export function relativeTime(instant: string, now: number): string {
  let amount = (Date.parse(instant) - now) / 1000
  if (amount > 0 && amount < CLOCKS_DIFFER_S) amount = 0
  for (const [unit, size] of STEPS) {
    if (Math.abs(amount) < size) return relativeFormat.format(Math.round(amount), unit)
    amount /= size
  }
  return dayTime(instant)
}

/** `2 h 5 min`: at most two units. */
export function durationText(seconds: number): string {
  const units = [
    ['d', Math.floor(seconds / 86_400)],
    ['h', Math.floor(seconds / 3_600) % 24],
    ['min', Math.floor(seconds / 60) % 60],
    ['s', Math.floor(seconds) % 60],
  ] as const
  const first = units.findIndex(([, amount]) => amount > 0)
  if (first === -1) return '0 s'
  return units
    .slice(first, first + 2)
    .filter(([, amount]) => amount > 0)
    .map(([unit, amount]) => `${amount} ${unit}`)
    .join(' ')
}
