import { Button, Group, Loader, Text } from '@mantine/core'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import type { Export } from './use-export.ts'

/** Progress of an export, with a cancel button. */
export function ExportNotice({ bytes, error, retry, total, cancel }: Export) {
  if (error !== undefined) return <FailureNotice error={error} onRetry={retry} />
  if (bytes === undefined) return null
  return (
    <Group gap="sm">
      <Loader size="xs" aria-hidden />
      <Text
        size="sm"
        role="status"
      >{`Exporting ${number.format(total)} ${total === 1 ? 'asset' : 'assets'}: ${sizeText(bytes)} so far`}</Text>
      <Button size="compact-sm" variant="default" onClick={cancel}>
        Cancel export
      </Button>
    </Group>
  )
}

const number = new Intl.NumberFormat()

const sizeText = (bytes: number) =>
  bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
