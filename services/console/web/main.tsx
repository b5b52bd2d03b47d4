import './shell/mantine.css'
import '@mantine/notifications/styles.css'
import './shell/font.css'
import './shell/theme.css'
import { MantineProvider, Container } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, type ReactNode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { startDensity } from './shell/density.ts'
import { queryClient } from './shell/query-client.ts'
import { router } from './shell/router.tsx'
import { readableColors, theme } from './shell/theme.ts'
import { FailureNotice } from './parts/load/failure-notice.tsx'
import { Waiting } from './parts/load/loaded.tsx'
import { findSession } from './session/session.ts'
import { useSessionState } from './session/use-session.ts'

const root = document.querySelector('#root')
if (!root) throw new Error('index.html has no #root element')
startDensity()
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={readableColors} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-right" />
        <SessionGate>
          <RouterProvider router={router} />
        </SessionGate>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)

/** Renders nothing until the session state is known. */
function SessionGate({ children }: { children: ReactNode }) {
  const { status } = useSessionState()
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    findSession().catch(setError)
  }, [])
  const retry = () => {
    setError(undefined)
    findSession().catch(setError)
  }
  if (status !== 'unknown') return children
  if (error === undefined) return <Waiting what="the console" />
  return (
    <Container size="xs" py="xl" component="main">
      <FailureNotice error={error} onRetry={retry} />
    </Container>
  )
}
