import { SIZE, ZONES, type Rectangle } from './floor.ts'

/** One gray with transparency, because the picture lies on a light or a dark page. */
const INK = '#868e96'

/** The warehouse from above, as an SVG: walls, racks, dock doors with trucks, and the yard. */
export function warehouseImage(): string {
  const { width, height } = SIZE
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" fill="none" stroke="${INK}">`,
    ...[ZONES.STORAGE, ZONES.RECEIVING, ZONES.DISPATCH].map((hall) => box(hall, 'stroke-width="4"')),
    ...[ZONES['AISLE-A'], ZONES['AISLE-B'], ZONES['AISLE-C']].map(racks),
    ...[ZONES['DOCK-1'], ZONES['DOCK-2'], ZONES['DOCK-3'], ZONES['DOCK-4']].map(dock),
    box(ZONES.YARD, 'stroke-width="2" stroke-dasharray="12 8"'),
    lanes(ZONES['GATE-1']),
    '</svg>',
  ].join('\n')
}

const box = ([x, y, width, height]: Rectangle, how: string) =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" ${how}/>`

/** Two rows of four bays, with the aisle between them. */
function racks([x, y, width, height]: Rectangle): string {
  const [bay, depth] = [width / 4, 26]
  return [y + 32, y + height - depth - 4]
    .flatMap((top) =>
      [0, 1, 2, 3].map((n) =>
        box([x + n * bay + 6, top, bay - 12, depth], 'stroke-opacity=".5" fill="#868e96" fill-opacity=".15"'),
      ),
    )
    .join('\n')
}

/** A door in the wall on the right, and a truck behind it. */
function dock([x, y, width, height]: Rectangle): string {
  const [wall, middle] = [x + width + 10, y + height / 2]
  return [
    box([wall - 4, middle - 24, 8, 48], `fill="${INK}"`),
    box([wall + 4, middle - 18, 28, 36], `fill="${INK}" fill-opacity=".35"`),
    box([wall + 33, middle - 15, 9, 30], `fill="${INK}" fill-opacity=".6"`),
  ].join('\n')
}

/** The way in and out, and a barrier. */
function lanes([x, y, width, height]: Rectangle): string {
  const middle = y + height / 2
  return [
    `<path d="M${x + 12} ${middle}H${x + width - 12}" stroke-width="2" stroke-dasharray="24 16"/>`,
    `<path d="M${x + width - 30} ${y + 8}V${y + height - 8}" stroke-width="5"/>`,
  ].join('\n')
}
