import { useComputedColorScheme, VisuallyHidden } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type MouseEvent, useMemo, useRef, useState } from 'react'
import { countText } from '../../parts/table/count-text.ts'
import { assetTypeOf } from '../../parts/things/asset-types.ts'
import type { PaintRoom } from './heat/heat.ts'
import { AlertMarks } from './marks/alert-marks.tsx'
import { MisplacedMarks } from './marks/misplaced-marks.tsx'
import { layoutOf, type PlacedRoom, type Point } from './layout.ts'
import { middleOf, planLayout } from './plan-layout.ts'
import { type Content, contentOf } from './places.ts'
import { ReaderMarks } from './readers/reader-marks.tsx'
import { roomsOf, type Room } from './rooms.ts'
import { spotsOf } from './spots.ts'
import { type Dot, useDots } from './use-dots.ts'
import type { Floor } from './use-floor.ts'
import { EVERYTHING, useImage } from './use-plans.ts'
import './floor.css'

export type Selection = { kind: 'room' | 'asset'; id: number }

type Props = {
  floor: Floor
  /** Whose sub-locations fill the picture; undefined: everything. */
  focus: Room | undefined
  selected: Selection | undefined
  onSelect: (selection: Selection) => void
  onEnter: (room: Room) => void
  /** Assets to look at. */
  noticed: ReadonlySet<number>
  paint: PaintRoom
}

/** How near the pointer must come to a dot, in pixels. */
const NEAR = 9

/** Rooms, on the plan that somebody arranged or drawn from the tree of locations, and a dot for each asset. */
export function FloorPlan({ floor, focus, selected, onSelect, onEnter, noticed, paint }: Props) {
  const { ref, width, height } = useElementSize()
  const { building, places, totals, assets } = floor
  const scheme = useComputedColorScheme()
  const shown = useMemo(() => roomsOf(building, focus), [building, focus])
  const plan = floor.plans.get(String(focus?.id ?? EVERYTHING))
  const { frame, placed } = useMemo(() => {
    if (width === 0) return { frame: undefined, placed: [] } // not measured yet
    const area = { x: 0, y: 0, width, height }
    if (plan && (plan.image ?? plan.zones.length > 0)) return planLayout(shown, plan, building, area)
    return { frame: undefined, placed: layoutOf(shown, area) }
  }, [shown, plan, building, width, height])
  const image = useImage(plan?.image?.hash)
  const contents = useMemo(
    () => contentOf(placed, building.rooms, places, totals),
    [placed, building, places, totals],
  )
  const canvas = useRef<HTMLCanvasElement>(null)
  const picture = useMemo(() => {
    const dots = new Map<number, Dot>()
    for (const [id, spot] of spotsOf(contents.values())) {
      const { color } = assetTypeOf(assets.get(id)?.type ?? '')
      dots.set(id, { ...spot, color, hasRing: noticed.has(id) })
    }
    return { dots, width, height, layout: placed, scheme }
  }, [contents, assets, noticed, width, height, placed, scheme])
  const spotNow = useDots(canvas, picture)
  const [pointed, setPointed] = useState<{ id: number; x: number; y: number }>()

  const assetAt = (event: MouseEvent) => {
    const box = event.currentTarget.getBoundingClientRect()
    const [x, y] = [event.clientX - box.left, event.clientY - box.top]
    let near = NEAR
    let found: { id: number; x: number; y: number } | undefined
    for (const id of picture.dots.keys()) {
      const spot = spotNow(id)
      const distance = spot ? Math.hypot(spot.x - x, spot.y - y) : near
      if (!spot || distance >= near) continue
      near = distance
      found = { id, ...spot }
    }
    return found
  }
  const pointedAsset = pointed && assets.get(pointed.id)
  return (
    <div
      ref={ref}
      className="floor-plan"
      data-pointed={pointed !== undefined || undefined}
      onMouseMove={(event) => {
        const found = assetAt(event)
        if (found?.id !== pointed?.id) setPointed(found)
      }}
      onMouseLeave={() => setPointed(undefined)}
      onClickCapture={(event) => {
        const found = assetAt(event)
        if (!found) return
        event.stopPropagation()
        onSelect({ kind: 'asset', id: found.id })
      }}
    >
      {frame && image !== undefined && (
        <img
          src={image}
          alt=""
          decoding="async"
          className="floor-image"
          style={{ left: frame.box.x, top: frame.box.y, width: frame.box.width, height: frame.box.height }}
        />
      )}
      <RoomList rooms={shown} {...{ placed, contents, selected, onSelect, onEnter, paint }} />
      <ReaderMarks {...{ placed, building, plan, frame }} />
      {totals && <AlertMarks {...{ placed, building }} />}
      {totals && <MisplacedMarks {...{ placed, building }} />}
      <canvas ref={canvas} aria-hidden style={{ width, height }} />
      {pointed && (
        <div className="floor-hint" style={{ left: pointed.x, top: pointed.y }} aria-hidden>
          {pointedAsset?.name ?? 'Asset'}
        </div>
      )}
    </div>
  )
}

const number = new Intl.NumberFormat()

/** What follows the number of assets when the room is read aloud. */
const aboutRoom = ({ children }: Room, total: number) =>
  [
    total === 1 ? 'asset' : 'assets',
    ...(children.length > 0 ? [countText(children.length, 'sub-locations')] : []),
  ].join(', ')

type ListProps = Pick<Props, 'selected' | 'onSelect' | 'onEnter' | 'paint'> & {
  rooms: readonly Room[]
  placed: readonly PlacedRoom[]
  contents: ReadonlyMap<number, Content>
}

/** The rooms as a list with sub-lists: what is seen is what is read aloud. */
function RoomList({ rooms, ...rest }: ListProps) {
  const { contents, selected, onSelect, onEnter, paint } = rest
  return (
    <ul>
      {rooms.map((room) => {
        const content = contents.get(room.id)
        if (!content) return null
        const { x, y, width, height } = content.placed.box
        const isSelected = selected?.kind === 'room' && selected.id === room.id
        const shape = shapeOf(content.placed)
        const { fill, text, said } = paint(room, content.total)
        const box = { left: x, top: y, width, height, ...shape?.style, '--fill': fill }
        return (
          <li key={room.id}>
            <button
              type="button"
              className="room"
              data-open={content.placed.isOpen || undefined}
              data-shape={content.placed.outline && 'polygon'}
              data-heat={text !== undefined || undefined}
              aria-pressed={isSelected}
              style={box}
              onClick={() => onSelect({ kind: 'room', id: room.id })}
              onDoubleClick={() => room.children.length > 0 && onEnter(room)}
            >
              {shape && (
                <svg aria-hidden width={width} height={height}>
                  <polygon points={shape.points} />
                </svg>
              )}
              <span className="room-name">{room.name}</span>
              <span className="room-count">
                {text ?? number.format(content.total)}
                <VisuallyHidden>
                  {said !== undefined && ` ${said}, ${number.format(content.total)}`}
                  {` ${aboutRoom(room, content.total)}`}
                </VisuallyHidden>
              </span>
            </button>
            {content.placed.isOpen && <RoomList rooms={room.children} {...rest} />}
          </li>
        )
      })}
    </ul>
  )
}

/** How a room that is not a rectangle is cut out of its box, and where its name stands. */
function shapeOf({ outline, box }: PlacedRoom) {
  if (!outline) return undefined
  const corners = outline.map(([x, y]): Point => [x - box.x, y - box.y])
  const [x, y] = middleOf(corners)
  return {
    points: corners.map((corner) => corner.join(',')).join(' '),
    style: {
      clipPath: `polygon(${corners.map(([left, top]) => `${left}px ${top}px`).join(', ')})`,
      '--middle-x': `${x}px`,
      '--middle-y': `${y}px`,
    },
  }
}
