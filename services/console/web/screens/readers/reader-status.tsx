import { Badge } from '@mantine/core'

const STATUSES: Readonly<Record<string, readonly [color: string, text: string]>> = {
  online: ['green', 'Online'],
  silent: ['yellow', 'Silent'],
  never_heard: ['gray', 'No messages yet'],
}

/** A reader is silent after three times its usual pause between messages. */
export function ReaderStatus({ status }: { status: string }) {
  const [color, text] = STATUSES[status] ?? ['gray', status]
  return (
    <Badge color={color} variant="light" miw="max-content">
      {text}
    </Badge>
  )
}
