import { Badge } from '@mantine/core'
import type { paths } from '@whereabouts/client/client'
import { wordsFor } from '../../../../parts/things/known.ts'

type Query = NonNullable<
  paths['/api/v1/webhook-endpoints/{webhook_id}/deliveries']['get']['parameters']['query']
>
export type DeliveryState = NonNullable<Query['state']>[number]

/** What may become of an event. */
export const DELIVERY_STATES: Readonly<Record<DeliveryState, { label: string; color: string }>> = {
  waiting: { label: 'Waiting', color: 'yellow' },
  delivered: { label: 'Delivered', color: 'green' },
  failed: { label: 'Failed', color: 'red' },
  dropped: { label: 'Dropped', color: 'gray' },
}

export function StateBadge({ state }: { state: string }) {
  const { label, color } = wordsFor(DELIVERY_STATES, state) ?? { label: state, color: 'gray' }
  return (
    <Badge color={color} variant="light">
      {label}
    </Badge>
  )
}
