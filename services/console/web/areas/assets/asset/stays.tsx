import { Anchor, Button, Group, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Card } from '../../../parts/page/card.tsx'
import { countText } from '../../../parts/table/count-text.ts'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { durationText } from '../../../parts/time/times.ts'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { useNow, When } from '../../../parts/time/when.tsx'
import { fromLocalInput } from '../../../parts/time/local-time.ts'
import { dwellsOf, locationText, secondsOf, type Dwell, type Sighting } from './sightings.ts'
import { useSightings, useStayRows } from './use-asset.ts'
import { Source } from './why.tsx'
import './stays.css'
import type { Column } from '../../../parts/table/data-table.tsx'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { shownValue } from '../../../parts/things/tag-values.ts'

/** Where it was and for how long, newest first. Each stay opens to the stored rows. */
export function Stays({ id }: { id: number }) {
  const [range, setRange] = useUrlState({ from: '', to: '' })
  const [from, to] = [fromLocalInput(range.from), fromLocalInput(range.to)]
  const sightings = useSightings(id, { from, to })
  const now = useNow()
  const isFiltered = range.from !== '' || range.to !== ''
  return (
    <Card title="Stays">
      <Text size="sm" c="dimmed">
        How long it was at each location. A stay has a row for each minute in which it was seen.
      </Text>
      <Group align="flex-end">
        <TextInput
          label="From"
          type="datetime-local"
          value={range.from}
          onChange={(event) => setRange({ from: event.currentTarget.value })}
        />
        <TextInput
          label="To"
          type="datetime-local"
          value={range.to}
          onChange={(event) => setRange({ to: event.currentTarget.value })}
        />
        {isFiltered && (
          <Button variant="default" onClick={() => setRange({ from: '', to: '' })}>
            Show all
          </Button>
        )}
      </Group>
      <Loaded query={sightings} what="the stays">
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data)
          const stays = dwellsOf(rows)
          if (stays.length === 0)
            return <Text size="sm">{isFiltered ? 'Not seen in this period.' : 'Never seen.'}</Text>
          const isCut = sightings.hasNextPage || from !== null
          return (
            <>
              <ul className="stays">
                {stays.map((stay, i) => (
                  <Stay
                    key={stay.from}
                    id={id}
                    stay={stay}
                    isEarlier={isCut && i === stays.length - 1}
                    isLater={to !== null && i === 0 && Date.parse(to) < now}
                  />
                ))}
              </ul>
              <Group justify="space-between">
                <Text size="sm" c="dimmed" role="status">
                  {`${countText(stays.length, 'stays')} with ${shownText(rows.length, pages.at(-1)?.total_count ?? 0)}`}
                </Text>
                {sightings.hasNextPage && (
                  <Button
                    variant="default"
                    size="xs"
                    loading={sightings.isFetchingNextPage}
                    onClick={() => void sightings.fetchNextPage()}
                  >
                    Show earlier
                  </Button>
                )}
              </Group>
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}

const number = new Intl.NumberFormat()

const shownText = (shown: number, total: number) =>
  shown < total ? `the last ${number.format(shown)} of ${countText(total, 'rows')}` : countText(total, 'rows')

type StayProps = {
  id: number
  stay: Dwell
  /** It may have begun earlier, in sightings that are not loaded. */
  isEarlier: boolean
  /** Until when it was there is not known, because the period ends before. */
  isLater: boolean
}

function Stay({ id, stay, isEarlier, isLater }: StayProps) {
  const [isOpen, setOpen] = useState(false)
  const now = useNow()
  const isCurrent = stay.until === null && !isLater
  const known = secondsOf(stay)
  const isSoFar = isCurrent && known === 0 // seen once: it is there since
  const seconds = isSoFar ? (now - Date.parse(stay.from)) / 1000 : known
  return (
    <li>
      <div className="stay">
        <div>
          <Text fw={500} component="div" size="sm">
            <At stay={stay} />
          </Text>
          <Text size="sm" component="div">
            {isEarlier && 'before '}
            <When at={stay.from} as="day" /> – <Until stay={stay} isLater={isLater} />
          </Text>
          <Text size="xs" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }}>
            {isEarlier ? 'Earliest shown: ' : 'First: '}
            <Source sighting={stay.first} />
          </Text>
        </div>
        <div className="stay-side">
          <Text size="sm" component="div">
            {seconds > 0 && `${isEarlier || isLater ? 'more than ' : ''}${durationText(seconds)}`}
            {isSoFar && seconds > 0 && ' so far'}
          </Text>
          <Button
            variant="subtle"
            size="compact-xs"
            aria-expanded={isOpen}
            aria-label={`${rowsText(stay, isEarlier)} at ${locationText(stay.location)}`}
            onClick={() => setOpen(!isOpen)}
          >
            {rowsText(stay, isEarlier)}
          </Button>
        </div>
      </div>
      {isOpen && <StayRows id={id} stay={stay} />}
    </li>
  )
}

const rowsText = ({ sightings }: Dwell, isCut: boolean) =>
  `${countText(sightings, 'rows')}${isCut ? ' or more' : ''}`

function At({ stay: { location } }: { stay: Dwell }) {
  if (!location?.name) return locationText(location)
  return (
    <Anchor component={Link} to={`/locations/${location.id}`} inherit>
      {location.name}
    </Anchor>
  )
}

function Until({ stay: { until, lastSeen }, isLater }: { stay: Dwell; isLater: boolean }) {
  if (until !== null) return <When at={until} as="day" />
  if (!isLater) return 'now'
  return (
    <>
      <When at={lastSeen} as="day" /> or later
    </>
  )
}

/** The stored rows of a stay, as they were recorded. */
function StayRows({ id, stay }: { id: number; stay: Dwell }) {
  const [offset, setOffset] = useState('0')
  const rows = useStayRows(id, stay, Number(offset))
  return (
    <PagedTable
      label={`Rows at ${locationText(stay.location)}`}
      query={rows}
      what="rows"
      columns={COLUMNS}
      rowKey={({ observed_at: at }) => at}
      minWidth={400}
      empty={null}
      offset={offset}
      onOffset={setOffset}
    />
  )
}

const COLUMNS: readonly Column<Sighting>[] = [
  { label: 'Seen', cell: ({ observed_at: at }) => <When at={at} as="day" /> },
  { label: 'Source', cell: (row) => <Source sighting={row} /> },
  { label: 'Tag', cell: ({ tag }) => (tag ? shownValue(tag.value) : '–') },
]
