import { Link } from '@tanstack/react-router'
import IconAntenna from '@tabler/icons-react/icons/IconAntenna'
import IconAntennaOff from '@tabler/icons-react/icons/IconAntennaOff'
import { Icon } from '../../../parts/page/icon.tsx'
import { wordsFor, type KnownReaderStatus } from '../../../parts/things/known.ts'
import type { PlacedRoom } from '../layout.ts'
import type { Frame } from '../plan-layout.ts'
import { readerSpots } from './reader-spots.ts'
import type { Building } from '../rooms.ts'
import { useFloorReaders } from './use-floor-readers.ts'
import type { FloorPlanData } from '../use-plans.ts'

const STATES: Readonly<Record<KnownReaderStatus, string>> = {
  online: 'online',
  degraded: 'degraded',
  silent: 'silent',
  never_heard: 'no messages yet',
}

type Props = {
  placed: readonly PlacedRoom[]
  building: Building
  plan: FloorPlanData | undefined
  frame: Frame | undefined
}

/** Readers with their state, as links to their pages: where the plan has them, or at the edge of a room they watch. */
export function ReaderMarks(props: Props) {
  const { data } = useFloorReaders()
  const placed = data ? readerSpots({ ...props, readers: data }) : []
  if (placed.length === 0) return null
  return (
    <ul aria-label="Readers">
      {placed.map(({ reader: { id, name, status }, at: [left, top] }) => (
        <li key={id}>
          <Link
            to={`/readers/${id}` as never}
            className="floor-reader"
            data-status={status}
            style={{ left, top }}
            title={`${name}, ${wordsFor(STATES, status) ?? status}`}
            aria-label={`${name}, ${wordsFor(STATES, status) ?? status}`}
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
