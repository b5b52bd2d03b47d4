import { Badge, Table, Text, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type components, unwrap } from '@whereabouts/client/client'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Cell, StackedTable } from '../../parts/stacked-table.tsx'
import { useUrlState } from '../../parts/use-url-state.ts'
import { When } from '../../parts/when.tsx'
import { api } from '../../session/api.ts'

const LIMIT = 20
const REFRESH_MS = 5_000

/** Recent delivery attempts, newest first, polled. */
export function Deliveries({ webhookId }: { webhookId: number }) {
  const [{ offset: at }, setState] = useUrlState({ offset: '0' })
  const offset = Number(at) || 0
  const deliveries = useQuery({
    queryKey: ['webhook-deliveries', webhookId, offset],
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      unwrap(
        await api.GET('/api/v1/webhooks/{webhook_id}/deliveries', {
          params: { path: { webhook_id: webhookId }, query: { limit: LIMIT, offset } },
          signal,
        }),
      ),
  })
  return (
    <section aria-label="Recent delivery attempts">
      <Title order={2} size="h4" mb="xs">
        Recent delivery attempts
      </Title>
      <Loaded query={deliveries} what="the attempts">
        {({ data, total_count: total }) =>
          total === 0 ? (
            <EmptyState title="No deliveries yet">
              Send a test event or move an asset. Each attempt is listed here.
            </EmptyState>
          ) : (
            <>
              <StackedTable label="Attempts">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Time</Table.Th>
                    <Table.Th>Outcome</Table.Th>
                    <Table.Th>Attempt</Table.Th>
                    <Table.Th>Duration</Table.Th>
                    <Table.Th>Delivery ID</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {data.map((each) => (
                    <Attempt key={`${each.delivery_id} ${each.attempt}`} delivery={each} />
                  ))}
                </Table.Tbody>
              </StackedTable>
              <Pager
                offset={offset}
                limit={LIMIT}
                total={total}
                what="attempts"
                onOffset={(next) => setState({ offset: String(next) })}
              />
            </>
          )
        }
      </Loaded>
    </section>
  )
}

function Attempt({ delivery }: { delivery: components['schemas']['WebhookDelivery'] }) {
  const { outcome, status_code: status, error } = delivery
  return (
    <Table.Tr>
      <Cell>
        <When at={delivery.attempted_at} />
      </Cell>
      <Cell label="Outcome">
        <Badge color={outcome === 'delivered' ? 'green' : 'red'} variant="light">
          {OUTCOMES[outcome] ?? outcome}
        </Badge>{' '}
        {status !== null && status}
        {error !== null && <Text size="xs">{error}</Text>}
      </Cell>
      <Cell label="Attempt">
        {delivery.attempt}
        {delivery.test && ' (test)'}
      </Cell>
      <Cell label="Duration">{`${new Intl.NumberFormat().format(delivery.latency_ms)} ms`}</Cell>
      <Cell label="Delivery ID">
        <code>{delivery.delivery_id}</code>
      </Cell>
    </Table.Tr>
  )
}

const OUTCOMES: Record<string, string> = { delivered: 'Delivered', failed: 'Failed' }
