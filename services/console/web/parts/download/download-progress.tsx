import { Button, Group, Loader, Text } from '@mantine/core'
import { FailureNotice } from '../load/failure-notice.tsx'
import type { useDownload } from './use-download.ts'

type Props = Pick<ReturnType<typeof useDownload>, 'bytes' | 'error' | 'retry' | 'cancel'> & {
  /** Names what is exported: `3 assets`. */
  what: string
}

/** The bytes so far, with a cancel button; the failure of the last download. */
export function DownloadProgress({ bytes, error, retry, cancel, what }: Props) {
  if (error !== undefined) return <FailureNotice error={error} onRetry={retry} />
  if (bytes === undefined) return null
  return (
    <Group gap="sm">
      <Loader size="xs" aria-hidden />
      <Text size="sm" role="status">{`Exporting ${what}: ${sizeText(bytes)} so far`}</Text>
      <Button size="compact-sm" variant="default" onClick={cancel}>
        Cancel export
      </Button>
    </Group>
  )
}

const sizeText = (bytes: number) =>
  bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
