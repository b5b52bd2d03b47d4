import { Alert, Button, Group, Text } from '@mantine/core'
import { failureOf } from './failure.ts'

type Props = {
  error: unknown
  /** Adds a button that tries again. */
  onRetry?: () => void
  /** Fields that show their own messages. */
  shownFields?: readonly string[]
}

/** A failure in the words of the API, with the request ID that an operator can search for. */
export function FailureNotice({ error, onRetry, shownFields = [] }: Props) {
  const { title, detail, requestId, fields } = failureOf(error)
  const others = Object.entries(fields).filter(([field]) => !shownFields.includes(field))
  return (
    <Alert color="red" title={title} role="alert" variant="light">
      <Text size="sm">{detail}</Text>
      {others.length > 1 && (
        <ul>
          {others.map(([field, message]) => (
            <li key={field}>
              <Text size="sm">{message}</Text>
            </li>
          ))}
        </ul>
      )}
      {requestId !== undefined && (
        <Text size="xs" mt="xs">
          Request ID <code>{requestId}</code>
        </Text>
      )}
      {onRetry && (
        <Group mt="sm">
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        </Group>
      )}
    </Alert>
  )
}
