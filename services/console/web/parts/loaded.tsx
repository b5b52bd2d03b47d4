import { Alert, Loader, Stack, Text } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import type { LoadedQuery } from './combined-query.ts'
import { FailureNotice } from './failure-notice.tsx'

type Props<T> = { query: LoadedQuery<T>; children: (data: T) => ReactNode; what?: string }

/**
 * Shows the state of a query: loading, failed, offline, or its data. Earlier data stays visible during a reload, and
 * below a notice if the reload fails.
 */
export function Loaded<T>({ query, children, what = 'this' }: Props<T>) {
  const retry = () => void query.refetch()
  if (query.data !== undefined)
    return (
      <>
        {query.isError && <FailureNotice error={query.error} onRetry={retry} />}
        {children(query.data)}
      </>
    )
  if (query.isError) return <FailureNotice error={query.error} onRetry={retry} />
  if (query.fetchStatus === 'paused')
    return (
      <Alert color="yellow" title="You are offline" role="status">
        {`We will load ${what} when you are back online.`}
      </Alert>
    )
  return <Waiting what={what} />
}

const NOTICED_MS = 300

/** Invisible for 300 ms, because most responses arrive earlier and a flash would distract. */
export function Waiting({ what = 'this' }: { what?: string }) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), NOTICED_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Stack
      align="center"
      py="xl"
      role="status"
      aria-live="polite"
      style={{ visibility: isShown ? 'visible' : 'hidden' }}
    >
      <Loader size="sm" aria-hidden />
      <Text size="sm" c="dimmed">{`Loading ${what}…`}</Text>
    </Stack>
  )
}
