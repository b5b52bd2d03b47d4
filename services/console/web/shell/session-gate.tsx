import { Container } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { Waiting } from '../parts/loaded.tsx'
import { findSession } from '../session/session.ts'
import { useSessionState } from '../session/use-session.ts'

/** Renders nothing until the session state is known. */
export function SessionGate({ children }: { children: ReactNode }) {
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
