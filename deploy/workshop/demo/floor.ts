/** In the units of the picture: x, y, width, height. */
export type Rectangle = readonly [x: number, y: number, width: number, height: number]

/** The size of the picture. Its longer side is the 10,000 of a floor plan's coordinates. */
export const SIZE = { width: 1000, height: 715 }
const SCALE = 10_000 / Math.max(SIZE.width, SIZE.height)

/** Location key → its zone. Each lies below the name of the zone around it. Assets in bays and at benches stand in these. */
export const ZONES = {
  RIVERSIDE: [0, 0, 1000, 715],
  STORAGE: [15, 45, 525, 555],
  'AISLE-A': [25, 85, 505, 162],
  'AISLE-B': [25, 257, 505, 162],
  'AISLE-C': [25, 429, 505, 162],
  RECEIVING: [550, 45, 405, 272],
  INSPECTION: [560, 85, 193, 222],
  'DOCK-1': [763, 85, 182, 106],
  'DOCK-2': [763, 201, 182, 106],
  DISPATCH: [550, 328, 405, 272],
  PACKING: [560, 368, 193, 112],
  'TOOL-ROOM': [560, 490, 92, 100],
  'PARTS-ROOM': [661, 490, 92, 100],
  'DOCK-3': [763, 368, 182, 106],
  'DOCK-4': [763, 484, 182, 106],
  YARD: [15, 610, 970, 95],
  'GATE-1': [380, 618, 510, 79],
  'GATE-2-INSIDE': [75, 618, 145, 79],
  'GATE-2-OUTSIDE': [222, 618, 156, 79],
} as const satisfies Readonly<Record<string, Rectangle>>

/** Reader key → where it hangs. */
const READERS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  'receiving-portal': [955, 196],
  'dispatch-portal': [955, 479],
  'storage-ab': [540, 252],
  'storage-c': [540, 510],
  'inspection-sled': [640, 317],
  'ble-gateway': [760, 322],
  'tool-room-gateway': [606, 595],
  'parts-room-gateway': [707, 595],
  'gate-2-portal': [221, 657],
}

type Ids = ReadonlyMap<string, number>

/** The arranged floor of the demo, for the locations and readers that exist, by their keys. */
export function warehouseFloor(locations: Ids, readers: Ids) {
  const place = (units: number) => Math.round(units * SCALE)
  return {
    zones: Object.entries(ZONES).flatMap(([key, [x, y, width, height]]) => {
      const id = locations.get(key)
      const [left, top, right, bottom] = [x, y, x + width, y + height].map(place) as [
        number,
        number,
        number,
        number,
      ]
      const points: [number, number][] = [[left, top], [right, top], [right, bottom], [left, bottom]] // oxfmt-ignore
      return id === undefined ? [] : [{ location_id: id, points }]
    }),
    readers: Object.entries(READERS).flatMap(([key, [x, y]]) => {
      const id = readers.get(key)
      return id === undefined ? [] : [{ reader_id: id, x: place(x), y: place(y) }]
    }),
  }
}
