import './shell/mantine.css'
import '@mantine/notifications/styles.css'
import './shell/font.css'
import './shell/theme.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startDensity } from './shell/density.ts'
import { queryClient } from './shell/query-client.ts'
import { router } from './shell/router.tsx'
import { SessionGate } from './shell/session-gate.tsx'
import { readableColors, theme } from './shell/theme.ts'

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
