import { useElementSize } from '@mantine/hooks'
import type { KeyboardEvent } from 'react'
import { boundsOf, type Frame, frameOf, middleOf, toScreen, unitsOf, type Zone } from '../plan-layout.ts'
import type { Point } from '../layout.ts'
import type { Building } from '../rooms.ts'
import { useDrag } from './use-drag.ts'
import type { PlacedReader, PlanDraft } from './use-plan-draft.ts'
import { addCorner, moveCorner, movePoint, moveZone, removeCorner } from './zone-edits.ts'

type Props = { draft: PlanDraft; building: Building; readerNames: ReadonlyMap<number, string> }

/** The plan with its zones and readers, which are moved by pointer or arrow keys. Delete removes what is focused. */
export function PlanStage({ draft, building, readerNames }: Props) {
  const { ref, width, height } = useElementSize()
  const frame = frameOf(draft.image, { x: 0, y: 0, width, height })
  const { url } = draft
  const isPicked = (kind: 'zone' | 'reader', id: number) =>
    draft.picked?.kind === kind && draft.picked.id === id
  const picked = draft.zones.find(({ location_id: id }) => isPicked('zone', id))
  const { x, y, ...size } = frame.box
  const inOrder = draft.zones.toSorted((a, b) => sizeOf(b) - sizeOf(a)) // the smaller ones above
  return (
    <div ref={ref} className="floor-plan plan-stage" role="group" aria-label="Plan">
      <div className="plan-paper" style={{ left: x, top: y, ...size }}>
        {url !== undefined && <img src={url} alt="" decoding="async" />}
      </div>
      {inOrder.map((zone) => (
        <ZoneShape
          key={zone.location_id}
          {...{ draft, zone, frame }}
          name={building.rooms.get(zone.location_id)?.name ?? 'Location'}
          isPicked={zone === picked}
        />
      ))}
      {picked && <Corners draft={draft} zone={picked} frame={frame} />}
      {draft.readers.map((reader) => (
        <ReaderPoint
          key={reader.reader_id}
          {...{ draft, reader, frame }}
          name={readerNames.get(reader.reader_id) ?? 'Reader'}
          isPicked={isPicked('reader', reader.reader_id)}
        />
      ))}
    </div>
  )
}

function sizeOf({ points }: Zone): number {
  const { width, height } = boundsOf(points)
  return width * height
}

const isDelete = ({ key }: KeyboardEvent) => key === 'Delete' || key === 'Backspace'

type ZoneProps = { draft: PlanDraft; zone: Zone; frame: Frame }

function ZoneShape({ draft, zone, frame, name, isPicked }: ZoneProps & { name: string; isPicked: boolean }) {
  const id = zone.location_id
  const size = unitsOf(draft.image)
  const drag = useDrag({
    scale: frame.scale,
    now: () => zone,
    move: (from, dx, dy, grid) => draft.editZone(id, () => moveZone(from, dx, dy, grid, size)),
  })
  const corners = zone.points.map((point) => toScreen(frame, point))
  const { x: left, y: top, width, height } = boundsOf(corners)
  const at = corners.map(([x, y]) => `${x - left}px ${y - top}px`).join(', ')
  const [nameX, nameY] = middleOf(corners)
  return (
    <button
      type="button"
      className="plan-zone"
      aria-pressed={isPicked}
      style={{ left, top, width, height, clipPath: `polygon(${at})` }}
      {...drag}
      onFocus={() => draft.setPicked({ kind: 'zone', id })}
      onKeyDown={(event) => (isDelete(event) ? draft.removeZone(id) : drag.onKeyDown(event))}
    >
      <svg aria-hidden width={width} height={height}>
        <polygon points={corners.map(([x, y]) => `${x - left},${y - top}`).join(' ')} />
      </svg>
      <span className="plan-zone-name" style={{ left: nameX - left, top: nameY - top }}>
        {name}
      </span>
    </button>
  )
}

/** Handles at the corners of a zone, and between them the ones that add a corner. */
function Corners({ draft, zone, frame }: ZoneProps) {
  const edit = (change: (zone: Zone) => Zone) => draft.editZone(zone.location_id, change)
  return zone.points.map((point, i) => {
    const [x, y] = toScreen(frame, point)
    const [nextX, nextY] = toScreen(frame, zone.points[(i + 1) % zone.points.length] ?? point)
    return (
      // oxlint-disable-next-line react/no-array-index-key -- a corner is its index
      <span key={i}>
        <Corner {...{ draft, zone, frame, point }} index={i} />
        <button
          type="button"
          className="plan-handle"
          data-new
          aria-label={`Add a corner after corner ${i + 1}`}
          style={{ left: (x + nextX) / 2, top: (y + nextY) / 2 }}
          onClick={() => edit((whole) => addCorner(whole, i))}
        />
      </span>
    )
  })
}

function Corner({ draft, zone, frame, point, index }: ZoneProps & { point: Point; index: number }) {
  const edit = (change: (zone: Zone) => Zone) => draft.editZone(zone.location_id, change)
  const drag = useDrag({
    scale: frame.scale,
    now: () => zone,
    move: (from, dx, dy, grid) =>
      edit(() =>
        moveCorner(from, index, movePoint(from.points[index] ?? point, dx, dy, grid, unitsOf(draft.image))),
      ),
  })
  const [left, top] = toScreen(frame, point)
  return (
    <button
      type="button"
      className="plan-handle"
      aria-label={`Corner ${index + 1}`}
      style={{ left, top }}
      {...drag}
      onKeyDown={(event) =>
        isDelete(event) ? edit((whole) => removeCorner(whole, index)) : drag.onKeyDown(event)
      }
    />
  )
}

type ReaderProps = { draft: PlanDraft; reader: PlacedReader; frame: Frame; name: string; isPicked: boolean }

function ReaderPoint({ draft, reader, frame, name, isPicked }: ReaderProps) {
  const size = unitsOf(draft.image)
  const { reader_id: id } = reader
  const drag = useDrag({
    scale: frame.scale,
    now: () => reader,
    move(from, dx, dy, grid) {
      const [x, y] = movePoint([from.x, from.y], dx, dy, grid, size)
      draft.placeReader({ reader_id: id, x, y })
    },
  })
  const [left, top] = toScreen(frame, [reader.x, reader.y])
  return (
    <button
      type="button"
      className="plan-reader"
      aria-pressed={isPicked}
      style={{ left, top }}
      {...drag}
      onFocus={() => draft.setPicked({ kind: 'reader', id })}
      onKeyDown={(event) => (isDelete(event) ? draft.removeReader(id) : drag.onKeyDown(event))}
    >
      {name}
    </button>
  )
}
