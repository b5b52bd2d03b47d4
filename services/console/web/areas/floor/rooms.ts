/** A location on the floor, with its sub-locations in the order of their keys. */
export type Room = {
  id: number
  key: string
  name: string
  parent: Room | undefined
  children: readonly Room[]
}

type Row = { id: number; external_key: string; name: string; parent_id: number | null }

/** All rooms by id, and those without a parent. */
export type Building = { rooms: ReadonlyMap<number, Room>; roots: readonly Room[] }

const byKey = new Intl.Collator('en', { numeric: true }).compare

/** A location whose parent is not among the rows is a root. The order of the rows does not matter. */
export function buildingOf(rows: readonly Row[]): Building {
  type Growing = Room & { children: Room[] }
  const rooms = new Map<number, Growing>()
  for (const { id, external_key: key, name } of rows)
    rooms.set(id, { id, key, name, parent: undefined, children: [] })
  const roots: Room[] = []
  for (const { id, parent_id } of rows.toSorted(
    (a, b) => byKey(a.external_key, b.external_key) || a.id - b.id,
  )) {
    const room = rooms.get(id)
    const parent = rooms.get(parent_id ?? 0)
    if (!room) continue
    room.parent = parent
    if (parent) parent.children.push(room)
    else roots.push(room)
  }
  return { rooms, roots }
}

/** The room and those around it, the outermost first. */
export const pathTo = (room: Room | undefined): Room[] => (room ? [...pathTo(room.parent), room] : [])

/** What fills the picture of a place. A location without sub-locations fills it itself. */
export function roomsOf({ roots }: Building, focus: Room | undefined): readonly Room[] {
  if (!focus) return roots
  return focus.children.length > 0 ? focus.children : [focus]
}
