import { Alert, Button, Group, Text } from '@mantine/core'
import { failureOf, inWords } from './failure.ts'

type Props = {
  error: unknown
  /** Adds a button that retries. Not shown for things that do not exist. */
  onRetry?: () => void
  /** Fields that show their own messages. */
  shownFields?: readonly string[]
}

/** A failure in plain words. Shows nothing if all its messages are at their fields. */
export function FailureNotice({ error, onRetry, shownFields = [] }: Props) {
  const { title, detail, requestId, fields, isMissing } = failureOf(error)
  const others = Object.entries(fields).filter(([field]) => !shownFields.includes(field))
  if (Object.keys(fields).length > 0 && others.length === 0) return null
  return (
    <Alert color="red" title={title} role="alert" variant="light">
      {detail !== undefined && <Text size="sm">{detail}</Text>}
      {others.map(([field, message]) => (
        <Text size="sm" key={field}>{`${nameOf(field)}: ${message}`}</Text>
      ))}
      {requestId !== undefined && (
        <Text size="xs" mt="xs">
          Request ID for support: <code>{requestId}</code>
        </Text>
      )}
      {onRetry && !isMissing && (
        <Group mt="sm">
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        </Group>
      )}
    </Alert>
  )
}

const nameOf = (field: string) => {
  const words = inWords(field)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
