import { Badge, Button, Group, Select, Slider, Text, TextInput } from '@mantine/core'
import { type KeyboardEvent, type ReactNode, useMemo, useState } from 'react'
import { Bars } from '../../../parts/time/bars.tsx'
import { countText } from '../../../parts/table/count-text.ts'
import { clockTime, dayTime } from '../../../parts/time/times.ts'
import { afterKey, instantOf, timeOf } from './time-in-span.ts'
import type { Timeline } from './timeline.ts'
import { type Player, SPEEDS } from './use-player.ts'

const BARS = 96

type Props = {
  player: Player
  /** The picture has only a part of the movements. */
  isCut?: boolean
  /** Before the controls: which time it is. */
  before?: ReactNode
  /** After them. */
  children?: ReactNode
}

/** Plays a timeline: where in it, how fast. */
export function PlayerBar({ player, isCut = false, before, children }: Props) {
  const { timeline, at, speed, isPlaying, change } = player
  const bars = useMemo(() => timeline?.histogram(BARS) ?? [], [timeline])
  /** The slider itself moves by its step, a second. */
  const moveByKey = (event: KeyboardEvent) => {
    const to = timeline && afterKey(event.key, at, timeline)
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    player.seek(to)
  }
  return (
    <section aria-label="Time" className="playback">
      <Group gap="sm">
        {before}
        {timeline && (
          <>
            <Button
              size="xs"
              onClick={() =>
                change(
                  isPlaying
                    ? { playing: '' }
                    : player.isAtEnd
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
              onClick={player.step}
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
            <TimeField key={timeline.fromMs} timeline={timeline} at={at} onPick={player.seek} />
            <Badge color="yellow" variant="light">
              Past
            </Badge>
            <Text size="sm" fw={600} role="status" style={{ fontVariantNumeric: 'tabular-nums' }}>
              {textOf(at)}
            </Text>
            <Text size="xs" c="dimmed">
              {countText(timeline.moves, 'movements')}
              {isCut && ', of which the picture has a part'}
            </Text>
            {children}
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
            onChange={(value) => player.seek(value)}
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
