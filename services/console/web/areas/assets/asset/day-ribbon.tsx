import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState, type CSSProperties, type KeyboardEvent } from 'react'
import { assetTypeOf } from '../../../parts/things/asset-types.ts'
import { clockTime, dayTime, durationText } from '../../../parts/time/times.ts'
import { type Bar, type Day, hoursOf, lanesOf, percentOf } from './day.ts'
import { locationText, type SeenAt } from './sightings.ts'
import { sourceText } from './why-text.ts'
import { Source } from './why.tsx'
import './day-ribbon.css'

type Props = {
  /** At least one, newest first. */
  bars: readonly Bar[]
  day: Day
  /** Of the asset: it has the color of its type. */
  type: string
}

/**
 * A lane for each location, and on it when the asset was there. Arrow keys go from one bar to the next, as on a slider
 * through the day, so that the ribbon is one stop of the Tab key, and no bar is too small to reach.
 */
export function DayRibbon({ bars, day, type }: Props) {
  // By its start, because bars come and grow while the day goes on.
  const [selected, setSelected] = useState<number>()
  const found = bars.findIndex(({ from }) => from === selected)
  const index = found === -1 ? 0 : found
  const bar = bars[index]
  if (!bar) return null
  const select = (next: number) => setSelected(bars[Math.max(0, Math.min(bars.length - 1, next))]?.from)
  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowLeft: index + 1, ArrowRight: index - 1, Home: bars.length - 1, End: 0 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    select(next)
  }
  const lanes = lanesOf(bars)
  const style = { '--bar': `var(${assetTypeOf(type).color})`, '--lanes': lanes.length } as CSSProperties
  return (
    <div style={style}>
      <div className="day-ribbon">
        <ul>
          {lanes.map(({ location }) => (
            <li key={location?.id ?? 0}>
              <Place location={location} />
            </li>
          ))}
        </ul>
        <div
          className="day-lanes"
          role="slider"
          tabIndex={0}
          aria-label="Times of the day"
          aria-valuemin={1}
          aria-valuemax={bars.length}
          aria-valuenow={bars.length - index}
          aria-valuetext={textOf(bar, day)}
          onKeyDown={onKeyDown}
        >
          {lanes.map((lane) => (
            <div key={lane.location?.id ?? 0}>
              {lane.bars.map((each) => (
                <Strip key={each.from} bar={each} day={day} isSelected={each === bar} onPoint={setSelected} />
              ))}
            </div>
          ))}
        </div>
        <div className="day-hours" aria-hidden>
          {hoursOf(day).map((hour) => (
            <span key={hour.getTime()} style={{ left: `${percentOf(hour.getTime(), day)}%` }}>
              {hourFormat.format(hour)}
            </span>
          ))}
        </div>
      </div>
      <Text size="sm" component="div" className="day-detail">
        <Text span fw={600} inherit>
          <Place location={bar.dwell.location} />
        </Text>
        {`, ${timesOf(bar, day)}. `}
        <Source sighting={bar.dwell.first} />.
      </Text>
    </div>
  )
}

const hourFormat = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' })

function Place({ location }: { location: SeenAt | null }) {
  if (!location?.name) return locationText(location)
  return (
    <Anchor component={Link} to={`/locations/${location.id}`} inherit>
      {location.name}
    </Anchor>
  )
}

type StripProps = { bar: Bar; day: Day; isSelected: boolean; onPoint: (from: number) => void }

/** Solid from its first to its last sighting there, pale while nothing saw it. */
function Strip({ bar: { from, seenUntil, until }, day, isSelected, onPoint }: StripProps) {
  const span = (start: number, end: number) => ({
    left: `${percentOf(start, day)}%`,
    width: `${percentOf(end, day) - percentOf(start, day)}%`,
  })
  const point = { onPointerEnter: () => onPoint(from), onPointerDown: () => onPoint(from) }
  return (
    <>
      <span data-pale data-selected={isSelected || undefined} style={span(from, until)} {...point} />
      <span style={span(from, seenUntil)} {...point} />
    </>
  )
}

/** `09:10:00 – 10:05:00, 55 min, last seen at 10:01:00`. Says what is only known within limits. */
function timesOf({ dwell, from, seenUntil, until }: Bar, { start, end }: Day): string {
  const timeOf = (instant: string) =>
    (Date.parse(instant) < start || Date.parse(instant) >= end ? dayTime : clockTime)(instant)
  const first = `${timeOf(dwell.from)}${dwell.isEarlier ? ' or earlier' : ''}`
  const last = dwell.isLater ? 'the next day' : dwell.until === null ? 'now' : timeOf(dwell.until)
  const seconds = (until - from) / 1000
  const ofDay = dwell.isEarlier || until === end ? ' of this day' : ''
  return [
    `${first} – ${last}`,
    ...(seconds >= 1 ? [`${durationText(seconds)}${ofDay}`] : []),
    ...(seenUntil < until ? [`last seen ${timeOf(dwell.lastSeen)}`] : []),
  ].join(', ')
}

const textOf = (bar: Bar, day: Day): string =>
  `${locationText(bar.dwell.location)}, ${timesOf(bar, day)}. ${sourceOf(bar)}`

const sourceOf = ({ dwell: { first } }: Bar): string =>
  sourceText(first)
    .map((part) => (typeof part === 'string' ? part : 'at' in part ? part.at : part.name))
    .join('')
