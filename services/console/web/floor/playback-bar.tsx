import { Button, Group, SegmentedControl, Select, Slider, Text, TextInput } from '@mantine/core'
import { useMemo } from 'react'
import { Bars } from '../parts/bars.tsx'
import { countText } from '../parts/count-text.ts'
import { clockTime, dayTime } from '../parts/times.ts'
import { SPANS, SPEEDS, type Playing } from './use-playback.ts'

const BARS = 96

/** Plays back a time: which, where in it, how fast. */
export function PlaybackBar({ playing }: { playing: Playing }) {
  const { span, day, timeline, at, speed, isPlaying, change } = playing
  const bars = useMemo(() => timeline?.histogram(BARS) ?? [], [timeline])
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
            <Text size="sm" fw={600} role="status" style={{ fontVariantNumeric: 'tabular-nums' }}>
              {`${dayTime(new Date(at).toISOString())} (${clockTime(new Date(at).toISOString())})`}
            </Text>
            <Text size="xs" c="dimmed">
              {countText(timeline.moves, 'movements')}
              {playing.isCut && ', of which the picture has a part'}
            </Text>
          </>
        )}
      </Group>
      {timeline && (
        <div className="playback-track">
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
          />
        </div>
      )}
    </section>
  )
}
