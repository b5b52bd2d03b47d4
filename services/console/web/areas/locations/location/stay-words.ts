import { countText } from '../../../parts/table/count-text.ts'
import { durationText } from '../../../parts/time/times.ts'

/** Visits of a week. Of none there are no lengths. */
export type Week = { visits: number; assets: number; seconds_median: number; seconds_p95: number }
export const NO_VISITS: Week = { visits: 0, assets: 0, seconds_median: 0, seconds_p95: 0 }

/** What the week says, and how it differs from the one before. `inside`: how many assets are there now. */
export const stayWords = (week: Week, before: Week, inside: number): string[] => [
  ...visitWords(week, before),
  `Still inside: ${countText(inside, 'assets')}.`,
]

function visitWords(week: Week, before: Week): string[] {
  if (week.visits === 0 && before.visits === 0) return ['No visits in the last two weeks.']
  const visits = `${countText(week.visits, 'visits')} of ${countText(week.assets, 'assets')} in the last 7 days, ${
    before.visits === 0 ? 'none' : countText(before.visits, 'visits')
  } in the 7 days before.`
  if (week.visits === 0) return [visits]
  const length = (label: string, now: number, then: number) =>
    `${label}: ${durationText(now)}${before.visits === 0 ? '' : `, ${changeWords(now - then)} the week before`}.`
  return [
    visits,
    length('Half of them are over after', week.seconds_median, before.seconds_median),
    length('Nineteen of twenty are over after', week.seconds_p95, before.seconds_p95),
  ]
}

const MINUTE = 60

function changeWords(seconds: number): string {
  if (Math.abs(seconds) < MINUTE) return 'as'
  return `${durationText(Math.abs(seconds))} ${seconds > 0 ? 'longer' : 'shorter'} than`
}
