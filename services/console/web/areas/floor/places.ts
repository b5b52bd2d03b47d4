import type { PlacedRoom } from './layout.ts'
import type { Room } from './rooms.ts'

/** The location of each asset that has one. */
export type Places = ReadonlyMap<number, number>

/** How many assets each location has, with everything below it. */
export type Totals = ReadonlyMap<number, number>

type Move = { asset: { id: number }; to_location: { id: number } }

/** The places after these movements, which are in the order in which they happened. */
export function placesAfter(places: Places, moves: readonly Move[]): Places {
  const next = new Map(places)
  for (const { asset, to_location } of moves) next.set(asset.id, to_location.id)
  return next
}

/** What is in a room of the picture: `assets` are at it or below it where nothing smaller is drawn. */
export type Content = { placed: PlacedRoom; assets: number[]; total: number }

/**
 * The content of each drawn room, by its id. `total` includes everything below: as counted by the server, where `totals`
 * says so, because there may be more assets than places are known of. Assets at locations that the picture does not show are
 * left out.
 */
export function contentOf(
  drawn: readonly PlacedRoom[],
  rooms: ReadonlyMap<number, Room>,
  places: Places,
  totals?: Totals,
): ReadonlyMap<number, Content> {
  const contents = new Map(
    drawn.map((placed): [number, Content] => [placed.room.id, { placed, assets: [], total: 0 }]),
  )
  for (const [asset, location] of places) {
    let isPlaced = false
    for (let room = rooms.get(location); room; room = room.parent) {
      const content = contents.get(room.id)
      if (!content) continue
      if (!isPlaced) content.assets.push(asset)
      isPlaced = true
      content.total += 1
    }
  }
  for (const [id, content] of contents) {
    content.assets.sort((a, b) => a - b)
    content.total = totals?.get(id) ?? content.total
  }
  return contents
}
