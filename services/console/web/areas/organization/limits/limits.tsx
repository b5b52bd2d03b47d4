import { Progress, Text } from '@mantine/core'
import { type Column, DataTable } from '../../../parts/table/data-table.tsx'
import { adviceOf, amountText, isNear, labelOf, type Limit, percentOf } from '../../../parts/load/limits.ts'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { useLimits } from '../../../parts/load/use-limits.ts'
import { RetentionCard } from './retention-card.tsx'

/** What the organization may store and stores, and for how long. An operator sets the limits. */
export default function Limits() {
  return (
    <Screen title="Limits" lead="What your organization stores, how much it may store, and for how long.">
      <Loaded query={useLimits()} what="the limits">
        {(rows) => {
          const days = rows.find(({ name }) => name === 'history_days')
          return (
            <>
              <DataTable label="Limits" columns={COLUMNS} rows={rows} rowKey={({ name }) => name} />
              {days && <RetentionCard installed={days.limit} />}
            </>
          )
        }}
      </Loaded>
    </Screen>
  )
}

const COLUMNS: readonly Column<Limit>[] = [
  { label: 'What', role: 'title', cell: labelOf },
  { label: 'Used', align: 'right', cell: (row) => amountText(row, row.used) },
  { label: 'Limit', align: 'right', cell: (row) => amountText(row, row.limit) },
  { label: 'Share', cell: (row) => <Share row={row} /> },
]

const Share = ({ row }: { row: Limit }) => (
  <>
    <Progress value={percentOf(row)} aria-label={labelOf(row)} color={isNear(row) ? 'red' : 'blue'} />
    <Text size="sm">{isNear(row) ? `${percentOf(row)} %. ${adviceOf(row)}` : `${percentOf(row)} %`}</Text>
  </>
)
