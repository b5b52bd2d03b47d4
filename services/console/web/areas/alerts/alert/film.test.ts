import { expect, test } from 'vitest'
import { buildingOf } from '../../floor/rooms.ts'
import { Timeline } from '../../floor/playback/timeline.ts'
import { filmOf, filmSpan, sharedRoom } from './film.ts'

const at = (time: string) => `2026-11-21T${time}.000Z`
const ms = (time: string) => Date.parse(at(time))
const raised = { raised_at: at('10:00:00'), resolved_at: null }

test.for([
  ['open: until now', raised, ms('12:00:00'), ms('12:00:00')],
  ['over: five minutes longer', { ...raised, resolved_at: at('11:00:00') }, ms('20:00:00'), ms('11:05:00')],
  ['just over: not beyond now', { ...raised, resolved_at: at('11:00:00') }, ms('11:01:00'), ms('11:01:00')],
  ['a clock that is behind: until it was raised', raised, ms('09:59:00'), ms('10:00:00')],
] as const)('%s', ([, alert, now, toMs]) =>
  expect(filmSpan(alert, now)).toEqual({ fromMs: ms('09:30:00'), toMs, isCut: false }),
)

test('of what is open for longer than a week, the film has the first week', () => {
  const { fromMs, toMs, isCut } = filmSpan(raised, Date.parse('2026-12-21T00:00:00Z'))
  expect([toMs - fromMs, isCut]).toEqual([7 * 86_400_000, true])
})

type Place = { id: number; name: string | null }
const [dock, hall, yard]: [Place, Place, Place] = [
  { id: 2, name: 'Dock' },
  { id: 3, name: 'Hall' },
  { id: 4, name: null },
]
const span = { fromMs: ms('09:30:00'), toMs: ms('11:00:00') }
const move = (time: string, from: Place | null, to: Place) => ({
  occurred_at: at(time),
  from_location: from,
  to_location: to,
})
const placesOf = (film: ReturnType<typeof filmOf>, ...times: string[]) => {
  const timeline = film && new Timeline(film.playback)
  return times.map((time) => timeline?.placesAt(ms(time)).get(9))
}

test('the film has each place at its time, also the one before the first movement', () => {
  const film = filmOf(9, span, yard, [move('10:30:00', hall, dock), move('10:00:00', dock, hall)])
  expect(placesOf(film, '09:30:00', '09:59:59', '10:00:00', '10:29:59', '10:30:00', '11:00:00')).toEqual([
    2, 2, 3, 3, 2, 2,
  ])
  expect(film?.names).toEqual(new Map([[2, 'Dock'], [3, 'Hall']])) // oxfmt-ignore
})

test('what did not move stands where it was, and what was never seen before comes with its first read', () => {
  expect(placesOf(filmOf(9, span, yard, []), '09:30:00', '11:00:00')).toEqual([4, 4])
  expect(placesOf(filmOf(9, span, null, [move('10:00:00', null, dock)]), '09:59:59', '10:00:00')).toEqual([
    undefined, 2,
  ]) // oxfmt-ignore
  expect(filmOf(9, span, null, [])).toBeUndefined()
})

test('the picture is the smallest room that has all places', () => {
  const row = (id: number, parent_id: number | null) => ({
    id,
    name: `${id}`,
    external_key: `${id}`,
    parent_id,
  })
  const building = buildingOf([row(1, null), row(2, 1), row(3, 2), row(4, 2), row(5, 1), row(6, null)])
  const of = (...ids: number[]) => sharedRoom(building, ids)?.id
  expect([of(3), of(3, 4), of(3, 5), of(2, 3), of(3, 6), of(6), of(99), of(3, 99)]).toEqual([
    2,
    2,
    1,
    2,
    undefined,
    undefined,
    undefined,
    2,
  ])
})
