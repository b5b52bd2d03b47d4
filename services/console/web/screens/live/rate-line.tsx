import { Box, Paper, Text, VisuallyHidden } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { lazy, Suspense, useMemo, useState } from 'react'
import { pointsOf, type Rate, rateText, STEP_MS } from './rate.ts'

/** Loaded with the screen, because the screen may open offline later. Without it the text still shows the rate. */
const plot = import('./rate-plot.tsx').catch(() => ({ default: () => <span /> }))
const RatePlot = lazy(() => plot)

/** Movements over time as a line and as text. Screen readers announce the text at most every ten seconds. */
export function RateLine({ rate }: { rate: Rate }) {
  const [now, setNow] = useState(() => Date.now())
  useInterval(() => setNow(Date.now()), STEP_MS, { autoInvoke: true })
  const points = useMemo(() => pointsOf(rate, Math.max(now, latestOf(rate))), [rate, now])
  const [announced, setAnnounced] = useState({ at: now, text: rateText(points) })
  if (announced.at !== now) setAnnounced({ at: now, text: rateText(points) })
  return (
    <Paper withBorder p="sm">
      <Text size="sm" aria-hidden>
        Movements: {rateText(points)}
      </Text>
      <VisuallyHidden role="status">{announced.text}</VisuallyHidden>
      <Box h={64}>
        <Suspense fallback={null}>
          <RatePlot points={points} label={`Movements: ${rateText(points)}`} />
        </Suspense>
      </Box>
    </Paper>
  )
}

const latestOf = (rate: Rate) => Math.max(0, ...rate.keys()) * STEP_MS
