import { Anchor, Button, Group, Text, Alert, Loader } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { DataTable, type Column } from '../../../parts/table/data-table.tsx'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { AssetLink, LocationLink } from '../../../parts/things/links.tsx'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { durationText } from '../../../parts/time/times.ts'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { ViewsMenu } from '../../../parts/views/views-menu.tsx'
import { When } from '../../../parts/time/when.tsx'
import { DEFAULTS } from './filter.ts'
import { MovementFilters } from './movement-filters.tsx'
import { MovementHistogram } from './movement-histogram.tsx'
import { useExport, type Export } from './use-export.ts'
import { useMovementPages, type Movement } from './use-movements.ts'
import { countText } from '../../../parts/table/count-text.ts'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { MOST_ROWS } from './export-pages.ts'

/** What moved when, from where to where. */
export default function Movements() {
  const [filter, setFilter] = useUrlState(DEFAULTS)
  const movements = useMovementPages(filter)
  const file = useExport(filter)
  return (
    <Screen
      title="Movements"
      lead="What moved when, newest first. New movements appear by themselves."
      actions={
        <>
          <ViewsMenu list="movements" />
          <Button variant="default" component={Link} to="/live">
            Watch live
          </Button>
          <Button
            variant="default"
            disabled={file.rows !== undefined || movements.data?.length === 0}
            onClick={file.start}
          >
            Export CSV
          </Button>
        </>
      }
    >
      <MovementFilters filter={filter} onChange={setFilter} />
      <ExportNotice {...file} />
      <MovementHistogram filter={filter} onChange={setFilter} />
      <Loaded query={movements} what="the movements">
        {(data) =>
          data.length === 0 ? (
            <EmptyState title="No movements">
              Nothing moved in this time, or nothing of this location, asset or type. Choose a longer time, or
              fewer filters.
            </EmptyState>
          ) : (
            <div>
              <DataTable
                label="Movements"
                columns={COLUMNS}
                rows={data}
                rowKey={({ occurred_at: at, asset }) => `${at} ${asset.id}`}
                minWidth={640}
              />
              <Group justify="space-between" mt="sm">
                <Text size="sm" c="dimmed" role="status">
                  {`${new Intl.NumberFormat().format(data.length)}${movements.hasNextPage ? ' newest' : ''} movements`}
                </Text>
                {movements.hasNextPage && (
                  <Button
                    variant="default"
                    size="xs"
                    loading={movements.isFetchingNextPage}
                    onClick={() => void movements.fetchNextPage()}
                  >
                    Show earlier
                  </Button>
                )}
              </Group>
            </div>
          )
        }
      </Loaded>
    </Screen>
  )
}

const Place = ({ at }: { at: Movement['to_location'] }) =>
  at.name === null ? (
    <Text size="sm">Deleted location</Text>
  ) : (
    <LocationLink id={at.id}>{at.name}</LocationLink>
  )

const COLUMNS: readonly Column<Movement>[] = [
  { label: 'Time', width: 170, cell: ({ occurred_at: at }) => <When at={at} as="day" /> },
  {
    label: 'Asset',
    role: 'title',
    cell: ({ asset }) => (
      <>
        <AssetLink id={asset.id}>{asset.name ?? 'Deleted asset'}</AssetLink>{' '}
        <Text span size="xs" c="dimmed">
          {asset.external_key}
        </Text>
      </>
    ),
  },
  {
    label: 'From',
    cell: ({ from_location: from }) =>
      from ? (
        <Place at={from} />
      ) : (
        <Text size="sm" c="dimmed">
          First seen
        </Text>
      ),
  },
  { label: 'To', cell: ({ to_location: to }) => <Place at={to} /> },
  {
    label: 'Stayed',
    align: 'right',
    cell: ({ dwell_seconds: seconds }) => (seconds === null ? 'until now' : durationText(seconds)),
  },
]

/** Progress of an export, with a cancel button, and what the file does not have. */
function ExportNotice({ rows, isCut, error, start, cancel }: Export) {
  if (error !== undefined) return <FailureNotice error={error} onRetry={start} />
  if (isCut)
    return (
      <Alert
        color="yellow"
        role="status"
        title={`The file has the newest ${countText(MOST_ROWS, 'movements')}`}
      >
        Choose an earlier time, or a shorter one, to export the others. All of them:{' '}
        <Anchor component={Link} to="/exports" inherit underline="always">
          Exports
        </Anchor>
      </Alert>
    )
  if (rows === undefined) return null
  return (
    <Group gap="sm">
      <Loader size="xs" aria-hidden />
      <Text size="sm" role="status">{`Exporting: ${countText(rows, 'rows')}`}</Text>
      <Button size="compact-sm" variant="default" onClick={cancel}>
        Cancel export
      </Button>
    </Group>
  )
}
