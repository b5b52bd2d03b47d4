import { useElementSize, useMergedRef } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { RatePoint } from '../rate.ts'

const PLOT_HEIGHT = 64

const dataOf = (points: readonly RatePoint[]): UPlot.AlignedData => [
  points.map(({ atMs }) => atMs / 1000),
  points.map(({ movements }) => movements),
]

/** A line without axes: the numbers are next to it. */
export default function RatePlot({ points, label }: { points: readonly RatePoint[]; label: string }) {
  const { ref: measured, width } = useElementSize<HTMLDivElement>()
  const container = useRef<HTMLDivElement>(null)
  const ref = useMergedRef(measured, container)
  const plot = useRef<UPlot>(undefined)
  const latest = useRef(points)
  useEffect(() => {
    const element = container.current
    if (!element || width === 0) return undefined
    const color = getComputedStyle(element).getPropertyValue('--chart-1')
    plot.current = new UPlot(
      {
        width,
        height: PLOT_HEIGHT,
        padding: [6, 2, 2, 2],
        cursor: { show: false },
        legend: { show: false },
        axes: [{ show: false }, { show: false }],
        scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max)] } },
        series: [
          {},
          {
            points: { show: false },
            stroke: color,
            fill: `color-mix(in srgb, ${color} 15%, transparent)`,
            width: 2,
          },
        ],
      },
      dataOf(latest.current),
      element,
    )
    return () => plot.current?.destroy()
  }, [width])
  useEffect(() => {
    latest.current = points
    plot.current?.setData(dataOf(points))
  }, [points])
  return (
    <div
      ref={ref}
      role="img"
      aria-label={label}
      style={{ height: PLOT_HEIGHT, overflow: 'hidden', width: '100%' }}
    />
  )
}
