import { expect, test } from 'vitest'
import { afterKey, instantOf, timeOf } from './time-in-span.ts'

const at = (text: string) => new Date(text).getTime()
const night = { fromMs: at('2026-11-25T20:30:00'), toMs: at('2026-11-26T04:30:00') }

test.for([
  ['21:15', '2026-11-25T21:15:00'],
  ['00:00', '2026-11-26T00:00:00'],
  ['04:30:00', '2026-11-26T04:30:00'],
  ['20:00', '2026-11-25T20:30:00'], // before it begins
  ['05:00', '2026-11-26T04:30:00'], // after it ends
] as const)('%s is %s in a span over midnight', ([time, want]) =>
  expect(instantOf(time, night)).toBe(at(want)),
)

test('a time that is not complete is none', () => {
  expect([instantOf('', night), instantOf('1', night)]).toEqual([undefined, undefined])
})

test('an input has the time of this device', () => expect(timeOf(at('2026-11-25T09:05:59'))).toBe('09:05'))

test.for([
  ['ArrowRight', '2026-11-25T23:01:10'],
  ['ArrowDown', '2026-11-25T22:59:10'],
  ['PageUp', '2026-11-25T23:10:10'],
  ['PageDown', '2026-11-25T22:50:10'],
  ['Home', '2026-11-25T20:30:00'],
  ['End', '2026-11-26T04:30:00'],
] as const)('%s leads to %s', ([key, want]) =>
  expect(afterKey(key, at('2026-11-25T23:00:10'), night)).toBe(at(want)),
)

test('keys do not lead out of the span', () => {
  expect(afterKey('PageUp', night.toMs - 1, night)).toBe(night.toMs)
  expect(afterKey('ArrowLeft', night.fromMs + 1, night)).toBe(night.fromMs)
  expect(afterKey('a', night.fromMs, night)).toBeUndefined()
})
