import { Alert, Loader, Stack, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { FailureNotice } from './failure-notice.tsx'

type Props<T> = { query: UseQueryResult<T>; children: (data: T) => ReactNode; what?: string }

/**
 * The states of everything that is loaded: waiting, failed, without a connection, or there. What was loaded before stays
 * while it is loaded anew, also where that fails: then a notice stands above it.
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
        {`We will load ${what} as soon as this device is connected again.`}
      </Alert>
    )
  return <Waiting what={what} />
}

const NOTICED_MS = 300

/** Nothing at first, since most answers are there before anybody could read that they are not. */
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
      <Text size="sm" c="dimmed">{`Loading ${what} …`}</Text>
    </Stack>
  )
}
