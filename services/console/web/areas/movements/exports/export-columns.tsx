import { Anchor, Badge, Progress, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ConfirmButton } from '../../../parts/form/confirm-button.tsx'
import { countText } from '../../../parts/table/count-text.ts'
import type { Column } from '../../../parts/table/data-table.tsx'
import { When } from '../../../parts/time/when.tsx'
import {
  type Export,
  isUnfinished,
  percentOf,
  sizeText,
  statusText,
  timesText,
  titleOf,
} from './export-texts.ts'
import { ForMembers } from '../../../session/for-members.tsx'
import { removeExport } from './use-exports.ts'

const COLORS: Readonly<Record<string, string>> = { done: 'green', failed: 'red' }

const Status = ({ one }: { one: Export }) => (
  <>
    <Badge variant="light" color={COLORS[one.status] ?? 'brand'}>
      {isUnfinished(one) ? `${statusText(one)} ${percentOf(one)} %` : statusText(one)}
    </Badge>
    {isUnfinished(one) && <ExportProgress one={one} />}
    {one.problem !== null && (
      <Text size="xs" maw={320}>
        {one.problem}
      </Text>
    )}
  </>
)

export const ExportProgress = ({ one }: { one: Export }) => (
  <Progress
    mt={4}
    value={percentOf(one)}
    animated={isUnfinished(one)}
    {...(one.status === 'failed' && { color: 'red' })}
    aria-label={`Progress of ${titleOf(one)}`}
  />
)

type DeleteProps = { one: Export; size?: 'compact-sm'; onDone?: () => void }

/** Stops an export that is not done, and removes its files. */
export const DeleteExport = ({ one, size, onDone }: DeleteProps) => (
  <ForMembers>
    {' '}
    <ConfirmButton
      label={isUnfinished(one) ? 'Stop' : 'Delete'}
      ariaLabel={`${isUnfinished(one) ? 'Stop' : 'Delete'} ${titleOf(one)}`}
      work={() => removeExport(one)}
      reload={[['exports', 'list'], ['limits']]}
      {...(size && { size })}
      {...(onDone && { onDone })}
    >
      {isUnfinished(one)
        ? 'This stops the export and removes the files that are ready.'
        : 'This removes the files. Links to them end at once. The exported data stays.'}
    </ConfirmButton>
  </ForMembers>
)

export const EXPORT_COLUMNS: readonly Column<Export>[] = [
  {
    label: 'Export',
    role: 'title',
    cell: (one) => (
      <Anchor component={Link} to={`/exports/${one.id}`} fz="sm">
        {titleOf(one)}
      </Anchor>
    ),
  },
  { label: 'Time', cell: (one) => timesText(one) },
  { label: 'Started', cell: ({ created_at: at }) => <When at={at} /> },
  { label: 'Status', cell: (one) => <Status one={one} /> },
  { label: 'Content', cell: ({ rows, bytes }) => `${countText(rows, 'rows')}, ${sizeText(bytes)}` },
  { label: 'Kept until', cell: ({ expires_at: at }) => (at === null ? '–' : <When at={at} as="day" />) },
  { label: 'Actions', role: 'actions', cell: (one) => <DeleteExport one={one} size="compact-sm" /> },
]
