import { Anchor, Checkbox, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type Alert, byText, stateText } from '../../../parts/alerts/alert-text.ts'
import { AcknowledgeButton, SeverityBadge } from '../../../parts/alerts/open-alerts.tsx'
import type { Column } from '../../../parts/table/data-table.tsx'
import { When } from '../../../parts/time/when.tsx'
import { SubjectLink, PlaceLink } from '../subject.tsx'
import { OpenFor } from '../open-for.tsx'

export const ALERT_COLUMNS: readonly Column<Alert>[] = [
  { label: 'Severity', cell: ({ rule }) => <SeverityBadge severity={rule.severity} /> },
  {
    label: 'Alert',
    role: 'title',
    cell: ({ id, rule }) => (
      <Anchor component={Link} to={`/alerts/${id}`} size="sm">
        {rule.name}
      </Anchor>
    ),
  },
  { label: 'About', cell: ({ subject }) => <SubjectLink subject={subject} /> },
  { label: 'Location', cell: ({ location }) => <PlaceLink location={location} /> },
  { label: 'Since', cell: ({ raised_at: at }) => <When at={at} /> },
  { label: 'For', align: 'right', cell: (alert) => <OpenFor alert={alert} /> },
  { label: 'State', cell: ({ state }) => stateText(state) },
  {
    label: 'Acknowledged',
    maxWidth: 260,
    cell: (alert) =>
      alert.acknowledged_at === null ? (
        '–'
      ) : (
        <>
          {byText(alert)}
          {alert.note !== null && (
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {alert.note}
            </Text>
          )}
        </>
      ),
  },
]

const acknowledgeColumn: Column<Alert> = {
  label: 'Actions',
  role: 'actions',
  cell: (alert) => <AcknowledgeButton alert={alert} />,
}

type Choice = { selected: ReadonlySet<number>; onSelect: (id: number, isSelected: boolean) => void }

/** With what members can do: choose some, acknowledge one. */
export const columnsOf = ({ selected, onSelect }: Choice): readonly Column<Alert>[] => [
  {
    label: 'Select',
    role: 'select',
    width: 36,
    cell: ({ id, rule, subject, state }) =>
      state === 'raised' && (
        <Checkbox
          aria-label={`Select ${rule.name}: ${subject.name}`}
          checked={selected.has(id)}
          onChange={(event) => onSelect(id, event.currentTarget.checked)}
        />
      ),
  },
  ...ALERT_COLUMNS,
  acknowledgeColumn,
]
