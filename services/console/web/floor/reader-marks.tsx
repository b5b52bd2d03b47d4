import { Link } from '@tanstack/react-router'
import IconAntenna from '@tabler/icons-react/icons/IconAntenna'
import IconAntennaOff from '@tabler/icons-react/icons/IconAntennaOff'
import { Icon } from '../parts/icon.tsx'
import { toScreen, type Frame } from './plan-layout.ts'
import { useFloorReaders } from './use-floor-readers.ts'
import type { FloorPlanData } from './use-plans.ts'

const STATES: Readonly<Record<string, string>> = {
  online: 'online',
  degraded: 'degraded',
  silent: 'silent',
  never_heard: 'no messages yet',
}

/** The readers of a plan with their state, as links to their pages. */
export function ReaderMarks({ plan, frame }: { plan: FloorPlanData; frame: Frame }) {
  const { data: readers } = useFloorReaders()
  const placed = plan.readers.flatMap(({ reader_id: id, x, y }) => {
    const reader = readers?.get(id)
    return reader ? [{ ...reader, at: toScreen(frame, [x, y]) }] : []
  })
  if (placed.length === 0) return null
  return (
    <ul aria-label="Readers">
      {placed.map(({ id, name, status, at: [left, top] }) => (
        <li key={id}>
          <Link
            to={`/readers/${id}` as never}
            className="floor-reader"
            data-status={status}
            style={{ left, top }}
            title={`${name}, ${STATES[status] ?? status}`}
            aria-label={`${name}, ${STATES[status] ?? status}`}
          >
            <Icon
              of={status === 'online' || status === 'degraded' ? IconAntenna : IconAntennaOff}
              size={14}
            />
          </Link>
        </li>
      ))}
    </ul>
  )
}
