import { Button, Group, RangeSlider, Text } from '@mantine/core'
import { useState, type PointerEvent } from 'react'
import { BarsTable } from '../../../parts/table/bars-table.tsx'
import { Bars } from '../../../parts/time/bars.tsx'
import { countText } from '../../../parts/table/count-text.ts'
import { Loaded } from '../../../parts/load/loaded.tsx'
import {
  barAt,
  countIn,
  isPart,
  partAfterKey,
  partOf,
  selectedOf,
  selecting,
  selectingAll,
  type Bins,
  type Part,
} from './brush.ts'
import type { Filter } from './filter.ts'
import { useHistogram } from './use-histogram.ts'
import './movement-histogram.css'

type Props = { filter: Filter; onChange: (change: Partial<Filter>) => void }

/** When movements happened in the whole range. Dragging over the bars, or moving a handle, selects a part of it. */
export const MovementHistogram = (props: Props) => (
  <Loaded query={useHistogram(props.filter)} what="the chart">
    {(bins) => bins && <Brush {...props} bins={bins} />}
  </Loaded>
)

const TITLE = 'Movements over time'

function Brush({ filter, onChange, bins }: Props & { bins: Bins }) {
  const [dragged, setDragged] = useState<Part>()
  const [hovered, setHovered] = useState<number>()
  const selected = dragged ?? selectedOf(filter, bins)
  const edge = (at: number) => edgeText(bins, at)
  const partText = (part: Part) =>
    `${edge(part[0])} to ${edge(part[1])}: ${countText(countIn(bins, part), 'movements')}`
  const select = (part: Part) => {
    setDragged(undefined)
    onChange(selecting(filter, bins, part))
  }
  const n = bins.counts.length
  const series = [{ label: 'movements', color: 'var(--chart-1)', values: bins.counts }]
  return (
    <section aria-label={TITLE}>
      <Selectable n={n} onHover={setHovered} onDrag={setDragged} onSelect={select}>
        <Bars
          series={series}
          height={64}
          titleOf={(i) => partText([i, i + 1])}
          label={`${TITLE}: ${partText([0, n])}`}
        />
        <div className="brush-rest" style={{ left: 0, width: `${(selected[0] / n) * 100}%` }} />
        <div className="brush-rest" style={{ right: 0, width: `${(1 - selected[1] / n) * 100}%` }} />
      </Selectable>
      <RangeSlider
        size="sm"
        min={0}
        max={n}
        step={1}
        minRange={1}
        value={selected}
        onChange={setDragged}
        onChangeEnd={select}
        label={edge}
        thumbValueText={edge}
        // The slider itself knows the arrow keys.
        thumbProps={(handle) => ({
          onKeyDown: (event) => {
            const part = partAfterKey(event.key, handle, selected, n)
            if (!part) return
            event.preventDefault()
            select(part)
          },
        })}
        thumbFromLabel="Start of the part"
        thumbToLabel="End of the part"
      />
      <Group justify="space-between" wrap="nowrap" aria-hidden>
        {[0, Math.round(n / 2), n].map((at) => (
          <Text key={at} size="xs" c="dimmed">
            {edge(at)}
          </Text>
        ))}
      </Group>
      <Group gap="sm" mih={30}>
        <Text size="sm" role="status">
          {partText(hovered === undefined || dragged ? selected : [hovered, hovered + 1])}
        </Text>
        {isPart(filter) && (
          <Button size="compact-sm" variant="default" onClick={() => onChange(selectingAll(filter))}>
            Whole range
          </Button>
        )}
        {bins.isCut && (
          <Text size="sm" c="dimmed">
            The chart shows the last 31 days of the range.
          </Text>
        )}
      </Group>
      <BarsTable
        title={TITLE}
        unit="From"
        times={bins.starts.map((ms) => new Date(ms).toISOString())}
        series={series}
      />
    </section>
  )
}

type SelectableProps = {
  n: number
  onHover: (bar: number | undefined) => void
  onDrag: (part: Part | undefined) => void
  onSelect: (part: Part) => void
  children: React.ReactNode
}

/** For pointers. The handles below do the same for the keyboard. */
function Selectable({ n, onHover, onDrag, onSelect, children }: SelectableProps) {
  const [start, setStart] = useState<number>()
  const barOf = ({ currentTarget, clientX }: PointerEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    return barAt((clientX - left) / width, n)
  }
  const stop = () => {
    setStart(undefined)
    onDrag(undefined)
  }
  return (
    <div
      className="brush"
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        setStart(barOf(event))
      }}
      onPointerMove={(event) => {
        onHover(barOf(event))
        if (start !== undefined) onDrag(partOf(start, barOf(event)))
      }}
      onPointerUp={(event) => {
        if (start !== undefined) onSelect(partOf(start, barOf(event)))
        setStart(undefined)
      }}
      onPointerCancel={stop}
      onPointerLeave={() => onHover(undefined)}
    >
      {children}
    </div>
  )
}

const DAY_MS = 86_400_000
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const day = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
})

/** The start of a bar, or the end of the last one. */
function edgeText({ starts, stepMs, fromMs, toMs }: Bins, at: number): string {
  const ms = (starts[0] ?? 0) + at * stepMs
  return (toMs - fromMs > DAY_MS ? day : clock).format(ms)
}
