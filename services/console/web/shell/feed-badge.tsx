import { Badge } from '@mantine/core'
import { useFeedStatus } from '../live/use-live.ts'

const TEXTS = {
  connecting: ['gray', 'Connecting'],
  live: ['green', 'Live'],
  interrupted: ['yellow', 'Reconnecting'],
} as const

/** Whether the page receives live movements. */
export function FeedBadge() {
  const [color, text] = TEXTS[useFeedStatus()]
  return (
    <Badge color={color} variant="light" autoContrast className="feed-badge" role="status" visibleFrom="xs">
      {text}
    </Badge>
  )
}
