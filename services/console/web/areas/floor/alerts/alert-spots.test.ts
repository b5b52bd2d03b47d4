import { expect, test } from 'vitest'
import type { PlacedRoom } from '../layout.ts'
import { buildingOf } from '../rooms.ts'
import { alertSpots } from './alert-spots.ts'

const row = (id: number, parent_id: number | null) => ({
  id,
  name: `${id}`,
  external_key: `${id}`,
  parent_id,
})
const building = buildingOf([row(1, null), row(2, 1), row(3, 2), row(4, null)])
const drawn = (...ids: number[]) =>
  ids.map(
    (id) =>
      ({ room: building.rooms.get(id), box: { x: id * 100, y: 10, width: 80, height: 50 } }) as PlacedRoom,
  )
const alert = (id: number | null, severity = 'warning') => ({
  rule: { severity },
  location: id === null ? null : { id },
})

test('each drawn room has the alerts at it and below it, in the smallest room that is drawn', () => {
  const alerts = [alert(3), alert(2, 'critical'), alert(3, 'info'), alert(1, 'info')]
  const short = alertSpots(alerts, drawn(1, 2), building).map(({ room, count, worst, locations }) => [
    room.id,
    { count, worst, locations },
  ])
  expect(short).toEqual([
    [2, { count: 3, worst: 'critical', locations: [3, 2] }],
    [1, { count: 1, worst: 'info', locations: [1] }],
  ])
})

test('what has no location, or none on the picture, is left out', () =>
  expect(alertSpots([alert(null), alert(4), alert(99)], drawn(1, 2), building)).toEqual([]))

test('the mark is at the lower left corner', () =>
  expect(alertSpots([alert(1)], drawn(1), building)[0]?.at).toEqual([114, 46]))
