import { Link } from '@tanstack/react-router'
import type { CSSProperties } from 'react'
import { Icon } from '../../../parts/page/icon.tsx'
import type { Spot } from './spots.ts'

/** A mark of a room: how many, which list has these, and how it looks. `said`: what it says, without the name of the room. */
type Mark = { said: string; to: string; search: Readonly<Record<string, string>>; color: string }

type Props<T> = {
  label: string
  icon: Parameters<typeof Icon>[0]['of']
  spots: readonly Spot<T>[]
  markOf: (spot: Spot<T>) => Mark
  className?: string
}

/** The marks of rooms, as links. Nothing if there are none. */
export function RoomMarks<T>({ label, icon, spots, markOf, className = '' }: Props<T>) {
  if (spots.length === 0) return null
  return (
    <ul aria-label={label}>
      {spots.map((spot) => {
        const { to, search, said, color } = markOf(spot)
        const [left, top] = spot.at
        const style = { left, top, '--alert': `var(--mantine-color-${color}-filled)` } as CSSProperties
        const text = `${spot.room.name}: ${said}`
        return (
          <li key={spot.room.id}>
            <Link
              to={to}
              search={() => search as never}
              className={`floor-alert ${className}`}
              style={style}
              title={text}
              aria-label={text}
            >
              <Icon of={icon} size={14} />
              {spot.things.length}
            </Link>
          </li>
        )
      })}
    </ul>
  )
}
