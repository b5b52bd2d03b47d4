import { Badge } from '@mantine/core'
import IconAlertTriangle from '@tabler/icons-react/icons/IconAlertTriangle'
import { Icon } from '../../../parts/page/icon.tsx'
import { wordsFor, type KnownReaderStatus } from '../../../parts/things/known.ts'

const STATUSES: Readonly<Record<KnownReaderStatus, readonly [color: string, text: string]>> = {
  online: ['green', 'Online'],
  degraded: ['orange', 'Degraded'],
  silent: ['yellow', 'Silent'],
  never_heard: ['gray', 'No messages yet'],
}

/**
 * A reader is silent after three times its usual pause between messages, and degraded if many messages of the last hour
 * had a problem.
 */
export function ReaderStatus({ status }: { status: string }) {
  const [color, text] = wordsFor(STATUSES, status) ?? ['gray', status]
  return (
    <Badge
      color={color}
      variant="light"
      leftSection={status === 'degraded' && <Icon of={IconAlertTriangle} size={12} />}
    >
      {text}
    </Badge>
  )
}
