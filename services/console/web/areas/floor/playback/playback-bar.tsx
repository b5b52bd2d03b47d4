import {
  Anchor,
  Badge,
  Button,
  Group,
  SegmentedControl,
  Select,
  Slider,
  Text,
  TextInput,
} from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, useMemo, useState } from 'react'
import { Bars } from '../../../parts/time/bars.tsx'
import { countText } from '../../../parts/table/count-text.ts'
import { clockTime, dayTime } from '../../../parts/time/times.ts'
import { afterKey, instantOf, timeOf } from './time-in-span.ts'
import type { Timeline } from './timeline.ts'
import { SPANS, SPEEDS, type Playing } from './use-playback.ts'

const BARS = 96

/** Plays back a time: which, where in it, how fast. */
export function PlaybackBar({ playing }: { playing: Playing }) {
  const { span, day, timeline, at, speed, isPlaying, change } = playing
  const bars = useMemo(() => timeline?.histogram(BARS) ?? [], [timeline])
  /** The slider itself moves by its step, a second. */
  const moveByKey = (event: KeyboardEvent) => {
    const to = timeline && afterKey(event.key, at, timeline)
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    playing.seek(to)
  }
  return (
    <section aria-label="Time" className="playback">
      <Group gap="sm">
        <SegmentedControl
          size="xs"
          data={[{ value: '', label: 'Live' }, ...SPANS.map(({ value, label }) => ({ value, label }))]}
          value={span}
          onChange={(value) => change({ span: value, at: '', playing: '' })}
          aria-label="Show"
        />
        {span === 'day' && (
          <TextInput
            size="xs"
            type="date"
            aria-label="Day"
            value={day}
            onChange={(event) => change({ day: event.currentTarget.value, at: '', playing: '' })}
          />
        )}
        {timeline && (
          <>
            <Button
              size="xs"
              onClick={() =>
                change(
                  isPlaying
                    ? { playing: '' }
                    : playing.isAtEnd
                      ? { playing: 'yes', at: '' }
                      : { playing: 'yes' },
                )
              }
            >
              {isPlaying ? 'Pause' : 'Play'}
            </Button>
            <Button
              size="xs"
              variant="default"
              onClick={playing.step}
              disabled={timeline.nextAfter(at) === undefined}
            >
              Next movement
            </Button>
            <Select
              size="xs"
              w={110}
              aria-label="Speed"
              data={SPEEDS.map((value) => ({ value: String(value), label: `${value} ×` }))}
              value={String(speed)}
              onChange={(value) => change({ speed: value ?? '60' })}
              allowDeselect={false}
            />
            <TimeField key={timeline.fromMs} timeline={timeline} at={at} onPick={playing.seek} />
            <Badge color="yellow" variant="light">
              Past
            </Badge>
            <Text size="sm" fw={600} role="status" style={{ fontVariantNumeric: 'tabular-nums' }}>
              {textOf(at)}
            </Text>
            <Text size="xs" c="dimmed">
              {countText(timeline.moves, 'movements')}
              {playing.isCut && ', of which the picture has a part'}
            </Text>
            <Anchor
              component={Link}
              to="/assets"
              search={() => ({ at: new Date(at).toISOString() }) as never}
              size="sm"
            >
              As a list
            </Anchor>
          </>
        )}
      </Group>
      {timeline && (
        <div className="playback-track" onKeyDownCapture={moveByKey}>
          <Bars height={36} series={[{ label: 'movements', color: 'var(--asset-thing)', values: bars }]} />
          <Slider
            size="sm"
            min={timeline.fromMs}
            max={timeline.toMs}
            step={1000}
            value={at}
            onChange={(value) => playing.seek(value)}
            label={(value) => clockTime(new Date(value).toISOString())}
            thumbLabel="Instant"
            thumbValueText={(value) => textOf(value)}
          />
        </div>
      )}
    </section>
  )
}

/** An instant as people read it, with its seconds. */
function textOf(ms: number): string {
  const instant = new Date(ms).toISOString()
  return `${dayTime(instant)} (${clockTime(instant)})`
}

type TimeProps = { timeline: Timeline; at: number; onPick: (ms: number) => void }

/** What is typed stays while the field has the focus, also while the time goes on. */
function TimeField({ timeline, at, onPick }: TimeProps) {
  const [typed, setTyped] = useState<string>()
  return (
    <TextInput
      size="xs"
      type="time"
      aria-label="Time of day"
      value={typed ?? timeOf(at)}
      onFocus={() => setTyped(timeOf(at))}
      onBlur={() => setTyped(undefined)}
      onChange={(event) => {
        const time = event.currentTarget.value
        setTyped(time)
        const to = instantOf(time, timeline)
        if (to !== undefined) onPick(to)
      }}
    />
  )
}
