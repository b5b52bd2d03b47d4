import { Badge, Text, Title } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { usePage } from '../../../parts/load/use-read.ts'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import type { Column } from '../../../parts/table/data-table.tsx'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { When } from '../../../parts/time/when.tsx'

const LIMIT = 20
const REFRESH_MS = 5_000

/** Recent delivery attempts, newest first, polled. */
export function Deliveries({ webhookId }: { webhookId: number }) {
  const [{ offset }, setState] = useUrlState({ offset: '0' })
  const deliveries = usePage(
    ['webhook-deliveries', webhookId, offset],
    '/api/v1/webhooks/{webhook_id}/deliveries',
    {
      path: { webhook_id: webhookId },
      query: { limit: LIMIT, offset: Number(offset) || 0 },
      refetchInterval: REFRESH_MS,
    },
  )
  return (
    <section aria-label="Recent delivery attempts">
      <Title order={2} size="h4" mb="xs">
        Recent delivery attempts
      </Title>
      <PagedTable
        label="Attempts"
        query={deliveries}
        what="attempts"
        columns={COLUMNS}
        rowKey={({ delivery_id: id, attempt }) => `${id} ${attempt}`}
        empty={
          <EmptyState title="No deliveries yet">
            Send a test event or move an asset. Each attempt is listed here.
          </EmptyState>
        }
        offset={offset}
        onOffset={(next) => setState({ offset: next })}
      />
    </section>
  )
}

const OUTCOMES: Record<string, string> = { delivered: 'Delivered', failed: 'Failed' }

const COLUMNS: readonly Column<components['schemas']['WebhookDelivery']>[] = [
  { label: 'Time', role: 'title', cell: ({ attempted_at }) => <When at={attempted_at} /> },
  {
    label: 'Outcome',
    cell: ({ outcome, status_code: status, error }) => (
      <>
        <Badge color={outcome === 'delivered' ? 'green' : 'red'} variant="light">
          {OUTCOMES[outcome] ?? outcome}
        </Badge>{' '}
        {status !== null && status}
        {error !== null && <Text size="xs">{error}</Text>}
      </>
    ),
  },
  { label: 'Attempt', cell: ({ attempt, test }) => `${attempt}${test ? ' (test)' : ''}` },
  { label: 'Duration', cell: ({ latency_ms: ms }) => `${new Intl.NumberFormat().format(ms)} ms` },
  { label: 'Delivery ID', cell: ({ delivery_id: id }) => <code>{id}</code> },
]
