import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Column } from '../../table/data-table.tsx'
import { When } from '../../time/when.tsx'
import { type AuditRow, actionText, actorText, subjectText } from './audit-text.ts'
import { ChangeList, DetailsButton } from './change-list.tsx'

/** Things that have a screen. One that was deleted has a screen that says so. */
const SCREENS: Readonly<Record<string, string>> = {
  asset: 'assets',
  location: 'locations',
  floor_plan: 'locations',
  inventory: 'locations',
  history: 'assets',
  reader: 'readers',
  import: 'imports',
  webhook: 'webhooks',
}

const WHEN: Column<AuditRow> = { label: 'When', width: 130, cell: ({ at }) => <When at={at} /> }
const WHO: Column<AuditRow> = { label: 'Who', cell: ({ actor }) => actorText(actor) }
const WHAT: Column<AuditRow> = {
  label: 'What',
  role: 'title',
  cell: ({ action }) => <Text size="sm">{actionText(action)}</Text>,
}
const CHANGES: Column<AuditRow> = { label: 'Changes', cell: (row) => <ChangeList row={row} />, maxWidth: 420 }
const DETAILS: Column<AuditRow> = {
  label: 'Details',
  role: 'actions',
  cell: (row) => <DetailsButton row={row} />,
}

/** Of a list about one thing. */
export const COLUMNS_OF_ONE: readonly Column<AuditRow>[] = [WHEN, WHO, WHAT, CHANGES, DETAILS]
/** Of a list about everything. */
export const COLUMNS_OF_ALL: readonly Column<AuditRow>[] = [
  WHEN,
  WHO,
  WHAT,
  { label: 'Which', cell: (row) => <Subject row={row} /> },
  CHANGES,
  DETAILS,
]

function Subject({ row }: { row: AuditRow }) {
  const { type, id } = row.subject
  const text = subjectText(row)
  const screen = Object.hasOwn(SCREENS, type) ? SCREENS[type] : undefined
  if (screen === undefined || id === null) return text
  return (
    <Anchor
      component={Link}
      to={`/${screen}/${id}`}
      size="sm"
      style={{ display: 'inline-block', overflowWrap: 'anywhere' }}
    >
      {text}
    </Anchor>
  )
}
