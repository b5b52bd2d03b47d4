import { Alert, Button, Group, Loader, Text } from '@mantine/core'
import { countText } from '../../parts/count-text.ts'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { MOST_ROWS } from './export-pages.ts'
import type { Export } from './use-export.ts'

/** Progress of an export, with a cancel button, and what the file does not have. */
export function ExportNotice({ rows, isCut, error, start, cancel }: Export) {
  if (error !== undefined) return <FailureNotice error={error} onRetry={start} />
  if (isCut)
    return (
      <Alert
        color="yellow"
        role="status"
        title={`The file has the newest ${countText(MOST_ROWS, 'movements')}`}
      >
        Choose an earlier time, or a shorter one, to export the others.
      </Alert>
    )
  if (rows === undefined) return null
  return (
    <Group gap="sm">
      <Loader size="xs" aria-hidden />
      <Text size="sm" role="status">{`Exporting: ${countText(rows, 'rows')}`}</Text>
      <Button size="compact-sm" variant="default" onClick={cancel}>
        Cancel export
      </Button>
    </Group>
  )
}
