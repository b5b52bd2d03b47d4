import { Button, Group, Loader, Text } from '@mantine/core'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import type { Export } from './use-export.ts'

/** Progress of an export, with a cancel button. */
export function ExportNotice({ bytes, error, start, cancel }: Export) {
  if (error !== undefined) return <FailureNotice error={error} onRetry={start} />
  if (bytes === undefined) return null
  return (
    <Group gap="sm">
      <Loader size="xs" aria-hidden />
      <Text size="sm" role="status">{`Exporting all assets: ${sizeText(bytes)} so far`}</Text>
      <Button size="compact-sm" variant="default" onClick={cancel}>
        Cancel export
      </Button>
    </Group>
  )
}

const sizeText = (bytes: number) =>
  bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
