import { Anchor, Button, Group, Paper, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { RELOADED, useAlerts } from '../../../parts/alerts/use-alerts.ts'
import { useSend } from '../../../parts/form/use-send.ts'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { countText } from '../../../parts/table/count-text.ts'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { ViewsMenu } from '../../../parts/views/views-menu.tsx'
import { api } from '../../../session/api.ts'
import { ViewersNote } from '../../../session/for-members.tsx'
import { useSession } from '../../../session/use-session.ts'
import { ALERT_COLUMNS, columnsOf } from './alert-columns.tsx'
import { DEFAULTS, type Filter, isFiltered, queryOf } from './alert-filter.ts'
import { AlertFilters } from './alert-filters.tsx'

const LIMIT = 50
const NOTHING: ReadonlySet<number> = new Set()

/** What rules raised, newest first. */
export default function Alerts() {
  const [filter, setFilter] = useUrlState(DEFAULTS)
  return (
    <Screen
      title="Alerts"
      lead={
        <>
          What your{' '}
          <Anchor component={Link} to="/rules" underline="always" inherit>
            rules
          </Anchor>{' '}
          raised, newest first. New alerts appear by themselves.
        </>
      }
      actions={<ViewsMenu list="alerts" />}
    >
      <AlertFilters filter={filter} onChange={setFilter} />
      <Rows filter={filter} onOffset={(offset) => setFilter({ offset })} />
    </Screen>
  )
}

type RowsProps = { filter: Filter; onOffset: (offset: string) => void }

/** Only rows that are shown count as selected: nobody acknowledges what they do not see. */
function Rows({ filter, onOffset }: RowsProps) {
  const { canWrite } = useSession()
  const alerts = useAlerts({ ...queryOf(filter), limit: LIMIT, offset: Number(filter.offset) || 0 })
  const [chosen, setChosen] = useState(NOTHING)
  const raised = (alerts.data?.data ?? []).filter(({ state }) => state === 'raised').map(({ id }) => id)
  const selected = raised.filter((id) => chosen.has(id))
  const columns = useMemo(
    () =>
      canWrite
        ? columnsOf({
            selected: chosen,
            onSelect: (id, isSelected) =>
              setChosen((before) =>
                isSelected ? before.union(new Set([id])) : before.difference(new Set([id])),
              ),
          })
        : ALERT_COLUMNS,
    [canWrite, chosen],
  )
  return (
    <>
      {!canWrite && <ViewersNote />}
      {canWrite && raised.length > 0 && (
        <SelectionBar selected={selected} raised={raised} onSelect={(ids) => setChosen(new Set(ids))} />
      )}
      <PagedTable
        label="Alerts"
        query={alerts}
        what="alerts"
        columns={columns}
        rowKey={({ id }) => id}
        minWidth={1000}
        isLive
        empty={<Nothing filter={filter} />}
        offset={filter.offset}
        onOffset={onOffset}
      />
    </>
  )
}

type BarProps = {
  selected: readonly number[]
  /** All of the page that can be acknowledged. */
  raised: readonly number[]
  onSelect: (ids: readonly number[]) => void
}

function SelectionBar({ selected, raised, onSelect }: BarProps) {
  const { send, isSending, error } = useSend(
    (ids: readonly number[]) => api.post('/api/v1/alerts/acknowledge', { body: { ids: [...ids] } }),
    { reload: RELOADED, onDone: () => onSelect([]) },
  )
  return (
    <Paper withBorder p="xs" role="group" aria-label="Selected alerts">
      <Group gap="xs">
        <Text size="sm" role="status" mr="xs">
          {selected.length === 0
            ? 'Select alerts to acknowledge several at once.'
            : `${countText(selected.length, 'alerts')} selected`}
        </Text>
        {selected.length < raised.length && (
          <Button size="compact-sm" variant="default" onClick={() => onSelect(raised)}>
            Select this page
          </Button>
        )}
        {selected.length > 0 && (
          <>
            <Button size="compact-sm" loading={isSending} onClick={() => send(selected)}>
              Acknowledge selected
            </Button>
            <Button size="compact-sm" variant="subtle" onClick={() => onSelect([])}>
              Clear selection
            </Button>
          </>
        )}
      </Group>
      {error !== undefined && <FailureNotice error={error} />}
    </Paper>
  )
}

function Nothing({ filter }: { filter: Filter }) {
  const { canWrite } = useSession()
  if (isFiltered(filter))
    return <EmptyState title="No matching alerts">Choose another state, rule, thing or time.</EmptyState>
  return (
    <EmptyState
      title="No open alerts"
      action={
        canWrite && (
          <Button component={Link} to="/rules/new">
            New rule
          </Button>
        )
      }
    >
      A rule says what to tell you of: an asset that leaves a place, stays too long, is missing or was not
      seen, or a reader that is silent. What it raises is here until it is over.
    </EmptyState>
  )
}
