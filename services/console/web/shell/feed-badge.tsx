import { Badge } from '@mantine/core'
import { useNetwork } from '@mantine/hooks'
import { useFeedStatus } from '../live/use-live.ts'

const TEXTS = {
  connecting: ['gray', 'Connecting'],
  live: ['green', 'Connected'],
  interrupted: ['yellow', 'Reconnecting'],
  offline: ['gray', 'Offline'],
} as const

/** Whether the page receives live movements. */
export function FeedBadge() {
  const status = useFeedStatus()
  const { online } = useNetwork()
  const [color, text] = TEXTS[online ? status : 'offline']
  return (
    <Badge
      color={color}
      variant="light"
      autoContrast
      className="feed-badge"
      role="status"
      style={{ flexShrink: 0 }}
    >
      {text}
    </Badge>
  )
}
