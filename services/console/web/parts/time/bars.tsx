import './bars.css'

export type Series = { label: string; color: string; values: readonly number[] }

type Props = {
  series: readonly Series[]
  height: number
  /** What a bar says when the pointer is over it. */
  titleOf?: (index: number) => string
  /** What all bars show, in words. Without it, they are hidden from screen readers. */
  label?: string
}

/** Bars over time, those of all series beside each other, without an axis. The exact values must be elsewhere, too. */
export function Bars({ series, height, titleOf, label }: Props) {
  const max = Math.max(1, ...series.flatMap(({ values }) => values))
  const named = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label }
  return (
    <div className="bars" style={{ height }} {...named}>
      {series[0]?.values.map((_, i) => (
        // eslint-disable-next-line react/no-array-index-key -- a bar is its place
        <div key={i} title={titleOf?.(i)}>
          {series.map((one) => (
            <div
              key={one.label}
              style={{ height: `${((one.values[i] ?? 0) / max) * 100}%`, backgroundColor: one.color }}
            />
          ))}
        </div>
      ))}
    </div>
  )
}
