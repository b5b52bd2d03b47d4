type Props = {
  values: readonly number[]
  /** What it shows, in words: for screen readers, and as a tooltip. */
  label: string
  /** The value of a full bar. Without it, the highest one. */
  max?: number
  /** Whether the place has a mark below its bar. */
  isMarked?: (index: number) => boolean
  width?: number | string
  height?: number
}

const MARKS_TOP = 94
const BOTTOM = 100
const BARS_HEIGHT = 90
/** So that one read is seen beside a thousand. */
const LEAST_HEIGHT = 4

/** Bars without an axis. The exact values must be beside it, or in a table. */
export function Sparkline({ values, label, max, isMarked, width = 120, height = 28 }: Props) {
  const full = Math.max(1, max ?? values.reduce((most, value) => Math.max(most, value), 0))
  const bars = values.map((value, i) =>
    value === 0 ? '' : bar(i, BARS_HEIGHT, Math.max(LEAST_HEIGHT, (value / full) * BARS_HEIGHT)),
  )
  const marks = values.map((_, i) => (isMarked?.(i) ? bar(i, BOTTOM, BOTTOM - MARKS_TOP) : ''))
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${values.length} ${BOTTOM}`}
      preserveAspectRatio="none"
      width={width}
      height={height}
      style={{ display: 'block' }}
    >
      <title>{label}</title>
      <path d={`M0 ${BARS_HEIGHT}h${values.length}v1h-${values.length}z`} fill="var(--chart-3)" />
      <path d={bars.join('')} fill="var(--chart-1)" />
      <path d={marks.join('')} fill="var(--chart-2)" />
    </svg>
  )
}

const bar = (x: number, bottom: number, height: number) =>
  `M${x + 0.1} ${bottom}v-${height.toFixed(1)}h0.8v${height.toFixed(1)}z`
