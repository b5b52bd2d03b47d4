import { Alert, Skeleton, Stack, VisuallyHidden, Anchor, Text } from '@mantine/core'
import { ApiError } from '@whereabouts/client/client'
import { type ReactNode, useEffect, useState } from 'react'
import type { LoadedQuery } from './combined-query.ts'
import { FailureNotice } from './failure-notice.tsx'
import { failureOf } from './failure.ts'
import { Link } from '@tanstack/react-router'

type Props<T> = {
  query: LoadedQuery<T>
  children: (data: T) => ReactNode
  what?: string
  /** For the screen of one thing: what to say if it does not exist. */
  missing?: Missing
}

/**
 * Shows the state of a query: loading, failed, offline, or its data. Earlier data stays visible during a reload, and
 * below a notice if the reload fails.
 */
export function Loaded<T>({ query, children, what = 'this', missing }: Props<T>) {
  const failure = query.isError && (
    <LoadFailure error={query.error} onRetry={() => void query.refetch()} missing={missing} />
  )
  if (query.data !== undefined)
    return (
      <>
        {failure}
        {children(query.data)}
      </>
    )
  if (failure !== false) return failure
  if (query.fetchStatus === 'paused')
    return (
      <Text size="sm" c="dimmed" role="status">
        {`We will load ${what} when you are back online.`}
      </Text>
    )
  return <Waiting what={what} />
}

type FailureProps = { error: unknown; onRetry: () => void; missing: Missing | undefined }

const LoadFailure = ({ error, onRetry, missing }: FailureProps) =>
  missing && isOfNothing(error) ? (
    <MissingNotice {...missing} />
  ) : (
    <FailureNotice error={error} onRetry={onRetry} />
  )

/** The request has an id from the address: if it is refused as invalid, the address is wrong. */
const isOfNothing = (error: unknown) =>
  failureOf(error).isMissing || (error instanceof ApiError && error.error?.type === 'validation_error')

const NOTICED_MS = 300
/** Widths of the lines in place of content that is not here yet. */
const LINES = ['40%', '90%', '75%']

/** Invisible for 300 ms, because most responses arrive earlier and a flash would distract. */
export function Waiting({ what = 'this' }: { what?: string }) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), NOTICED_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Stack
      gap="sm"
      py="sm"
      role="status"
      aria-live="polite"
      style={{ visibility: isShown ? 'visible' : 'hidden' }}
    >
      {LINES.map((width) => (
        <Skeleton key={width} h={14} w={width} aria-hidden />
      ))}
      <VisuallyHidden>{`Loading ${what}…`}</VisuallyHidden>
    </Stack>
  )
}

/** `name` of a thing as in “no such asset”, and the list that has all of them. */
type Missing = { name: string; list: string; to: string }

/** Shown by the screen of one thing that does not exist, or no longer. */
function MissingNotice({ name, list, to }: Missing) {
  return (
    <Alert color="yellow" title={`There is no such ${name}`} role="alert">
      <Text size="sm">
        It was deleted, or the address is wrong.{' '}
        <Anchor component={Link} to={to} underline="always" inherit>
          {list}
        </Anchor>
      </Text>
    </Alert>
  )
}
