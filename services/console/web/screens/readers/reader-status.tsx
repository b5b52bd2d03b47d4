import { Badge } from '@mantine/core'

const STATUSES: Readonly<Record<string, readonly [color: string, text: string]>> = {
  online: ['green', 'Online'],
  silent: ['yellow', 'Quiet'],
  never_heard: ['gray', 'Never heard'],
}

/** A reader is quiet when it was not heard for three times as long as it usually pauses. */
export function ReaderStatus({ status }: { status: string }) {
  const [color, text] = STATUSES[status] ?? ['gray', status]
  return (
    <Badge color={color} variant="light" miw="max-content">
      {text}
    </Badge>
  )
}
