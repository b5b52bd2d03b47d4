import { Button, Group, NativeSelect, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { components } from '@whereabouts/client/client'
import { EmptyState } from '../../../../parts/load/empty-state.tsx'
import { Loaded } from '../../../../parts/load/loaded.tsx'
import { Card } from '../../../../parts/page/card.tsx'
import { type Column, DataTable } from '../../../../parts/table/data-table.tsx'
import { useUrlState } from '../../../../parts/table/use-url-state.ts'
import { When } from '../../../../parts/time/when.tsx'
import { api } from '../../../../session/api.ts'
import { useSession } from '../../../../session/use-session.ts'
import { choicesOf, eventText, type FeedType, SENT_TYPES } from '../event-types.ts'
import type { Webhook } from '../webhook-settings.ts'
import { Delivery } from './delivery.tsx'
import { Replay } from './replay.tsx'
import { DELIVERY_STATES, type DeliveryState, StateBadge } from './state-badge.tsx'

type Row = components['schemas']['EndpointDelivery']

const PAGE = 50
const REFRESH_MS = 5_000

/** What became of each event, newest first. Those of a test are not listed. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const { isAdmin } = useSession()
  const [{ state, type, delivery }, setUrl] = useUrlState({ state: '', type: '', delivery: '' })
  const deliveries = useDeliveries(webhook.id, state, type)
  return (
    <Card title="Deliveries" actions={isAdmin && <Replay webhook={webhook} />}>
      <Group align="flex-end">
        <NativeSelect
          label="State"
          data={[
            { value: '', label: 'All states' },
            ...Object.entries(DELIVERY_STATES).map(([value, { label }]) => ({ value, label })),
          ]}
          value={state}
          onChange={(event) => setUrl({ state: event.currentTarget.value })}
        />
        <NativeSelect
          label="Event"
          data={choicesOf(SENT_TYPES)}
          value={type}
          onChange={(event) => setUrl({ type: event.currentTarget.value })}
        />
      </Group>
      <Loaded query={deliveries} what="the deliveries">
        {(rows) =>
          rows.length === 0 ? (
            <Empty isFiltered={state !== '' || type !== ''} />
          ) : (
            <div>
              <DataTable
                label="Deliveries, newest first"
                columns={columnsWith((id) => setUrl({ delivery: id }))}
                rows={rows}
                rowKey={({ delivery_id: id }) => id}
                minWidth={760}
              />
              {deliveries.hasNextPage && (
                <Group justify="flex-end" mt="sm">
                  <Button
                    variant="default"
                    size="xs"
                    loading={deliveries.isFetchingNextPage}
                    onClick={() => void deliveries.fetchNextPage()}
                  >
                    Show earlier
                  </Button>
                </Group>
              )}
            </div>
          )
        }
      </Loaded>
      {delivery !== '' && (
        <Delivery webhook={webhook} deliveryId={delivery} onClose={() => setUrl({ delivery: '' })} />
      )}
    </Card>
  )
}

type Pages = { state: { data?: { pages: readonly unknown[] } | undefined } }
const lessOften = ({ state: { data } }: Pages) => REFRESH_MS * Math.max(1, data?.pages.length ?? 1)

/** Page by page. All that is shown is read again, the more pages the less often. */
const useDeliveries = (webhookId: number, state: string, type: string) =>
  useInfiniteQuery({
    queryKey: ['webhooks', webhookId, 'deliveries', state, type],
    initialPageParam: '',
    refetchInterval: lessOften,
    queryFn: async ({ pageParam: after, signal }) =>
      api.page('/api/v1/webhook-endpoints/{webhook_id}/deliveries', {
        path: { webhook_id: webhookId },
        query: {
          limit: PAGE,
          ...(state !== '' && { state: [state as DeliveryState] }),
          ...(type !== '' && { type: [type as FeedType] }),
          ...(after !== '' && { after }),
        },
        signal,
      }),
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  })

const Empty = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState title="No matching deliveries" isInCard>
      Choose another state or event. Deliveries are listed for 7 days.
    </EmptyState>
  ) : (
    <EmptyState title="No deliveries yet" isInCard>
      Each event is listed here from its first attempt on. Test events are not.
    </EmptyState>
  )

const columnsWith = (open: (deliveryId: string) => void): readonly Column<Row>[] => [
  {
    label: 'Event',
    role: 'title',
    cell: ({ type, occurred_at: at }) => (
      <>
        {eventText(type)}{' '}
        <Text span size="xs" c="dimmed">
          <When at={at} />
        </Text>
      </>
    ),
  },
  { label: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  { label: 'Attempts', align: 'right', cell: ({ attempts }) => attempts },
  {
    label: 'Last answer',
    cell: ({ last }) => (last ? (last.error ?? last.status_code) : '–'),
  },
  {
    label: 'Next attempt',
    cell: ({ state, next_attempt_at: next }) =>
      next === null ? state === 'waiting' ? 'after an earlier event' : '–' : <When at={next} />,
  },
  {
    label: 'Details',
    role: 'actions',
    cell: ({ delivery_id: id, type }) => (
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Open ${eventText(type)} ${id}`}
        onClick={() => open(id)}
      >
        Open
      </Button>
    ),
  },
]
