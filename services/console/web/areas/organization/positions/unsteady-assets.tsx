import { Button, Text } from '@mantine/core'
import { usePage } from '../../../parts/load/use-read.ts'
import { Card } from '../../../parts/page/card.tsx'
import type { Column } from '../../../parts/table/data-table.tsx'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { AssetLink } from '../../../parts/things/links.tsx'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { When } from '../../../parts/time/when.tsx'
import { isSet, settingText } from './draft.ts'
import { type Unsteady, unsteadyText } from './unsteady-text.ts'
import type { Placement } from '../../../parts/placement/use-placement.ts'

const PAGE = 25
const REFRESH_MS = 60_000

type Props = {
  placement: Placement
  /** Puts the setting that helps into the form; undefined for members. */
  onUse: ((row: Unsteady) => void) | undefined
}

/** Assets whose place is not to be relied on, each with the setting that would have prevented it. */
export function UnsteadyAssets({ placement, onUse }: Props) {
  const [{ offset }, setPage] = useUrlState({ offset: '0' })
  const unsteady = usePage(['unsteady', offset], '/api/v1/reports/unsteady', {
    query: { limit: PAGE, offset: Number(offset) },
    refetchInterval: REFRESH_MS,
  })
  return (
    <Card title="Assets that jump or wait">
      <Text size="sm" c="dimmed">
        Assets that went back and forth five times within ten minutes in the last 24 hours, and assets whose
        last read has waited for more than ten minutes.
      </Text>
      <PagedTable
        label="Unsteady assets"
        query={unsteady}
        what="assets"
        columns={columnsOf(placement, onUse)}
        rowKey={({ asset }) => asset.id}
        minWidth={640}
        empty={
          <EmptyState title="No asset jumps or waits" isInCard>
            The places of all assets are steady.
          </EmptyState>
        }
        offset={offset}
        onOffset={(next) => setPage({ offset: next })}
      />
    </Card>
  )
}

const columnsOf = (placement: Placement, onUse: Props['onUse']): readonly Column<Unsteady>[] => [
  { label: 'Asset', role: 'title', cell: ({ asset: { id, name } }) => <AssetLink id={id}>{name}</AssetLink> },
  { label: 'What happens', cell: unsteadyText },
  { label: 'Last', cell: ({ last_at: at }) => <When at={at} /> },
  {
    label: 'What helps',
    cell: ({ setting }) =>
      isSet(placement, setting) ? `${settingText(setting)} (set now)` : settingText(setting),
  },
  {
    label: 'Actions',
    role: 'actions',
    cell: (row) =>
      onUse !== undefined &&
      !isSet(placement, row.setting) && (
        <Button
          size="xs"
          variant="default"
          onClick={() => onUse(row)}
          aria-label={`Fill in what helps ${row.asset.name}`}
        >
          Fill in
        </Button>
      ),
  },
]
