import { Box, Paper, Text, VisuallyHidden } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { lazy, Suspense, useMemo, useState } from 'react'
import { pointsOf, type Rate, rateText, STEP_MS } from './rate.ts'

/** Loaded with the screen, because the screen may open offline later. Without it the text still shows the rate. */
const plot = import('./later/rate-plot.tsx').catch(() => ({ default: () => <span /> }))
const RatePlot = lazy(() => plot)

/** Movements over time as a line and as text. Screen readers announce the text at most every ten seconds. */
export function RateLine({ rate }: { rate: Rate }) {
  const [now, setNow] = useState(() => Date.now())
  useInterval(() => setNow(Date.now()), STEP_MS, { autoInvoke: true })
  const points = useMemo(() => pointsOf(rate, now), [rate, now])
  const text = rateText(rate, points)
  const [announced, setAnnounced] = useState({ at: now, text })
  if (announced.at !== now) setAnnounced({ at: now, text })
  return (
    <Paper withBorder p="sm">
      <Text size="sm" aria-hidden>
        Movements: {text}
      </Text>
      <VisuallyHidden role="status">{announced.text}</VisuallyHidden>
      <Box h={64}>
        <Suspense fallback={null}>
          <RatePlot points={points} label={`Movements: ${text}`} />
        </Suspense>
      </Box>
    </Paper>
  )
}
