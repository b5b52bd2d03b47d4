import { expect, test } from 'vitest'
import type { PlacedRoom } from '../layout.ts'
import { buildingOf } from '../rooms.ts'
import { spotsOf } from './spots.ts'

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
const thing = (location: number | null) => ({ location })
const spots = (
  things: readonly ReturnType<typeof thing>[],
  placed = drawn(1, 2),
  corner?: 'left' | 'right',
) => spotsOf(things, ({ location }) => location, placed, building, corner)

test('each drawn room has what is at it and below it, in the smallest room that is drawn', () => {
  const found = spots([thing(3), thing(2), thing(3), thing(1)])
  expect(found.map(({ room, things, locations }) => [room.id, things.length, locations])).toEqual([
    [2, 3, [3, 2]],
    [1, 1, [1]],
  ])
})

test('what has no location, or none on the picture, is left out', () =>
  expect(spots([thing(null), thing(4), thing(99)])).toEqual([]))

test('the mark is at a lower corner', () => {
  expect(spots([thing(1)], drawn(1))[0]?.at).toEqual([114, 46])
  expect(spots([thing(1)], drawn(1), 'right')[0]?.at).toEqual([166, 46])
})
