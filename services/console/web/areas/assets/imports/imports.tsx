import { Anchor, Badge, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { Waiting } from '../../../parts/load/loaded.tsx'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import type { Column } from '../../../parts/table/data-table.tsx'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { When } from '../../../parts/time/when.tsx'
import { isUnfinished, percentOf, stateText, titleOf, type Import } from './import-files.ts'
import { useImports } from './use-imports.ts'
import { ForMembers } from '../../../session/for-members.tsx'

const NewImport = lazy(() => import('./later/new-import.tsx'))

export default function Imports() {
  return (
    <Screen title="Imports" lead="Create or update many assets or locations with a CSV file.">
      <ForMembers isExplained>
        <Suspense fallback={<Waiting what="the form" />}>
          <NewImport />
        </Suspense>
      </ForMembers>
      <ImportList />
    </Screen>
  )
}

function ImportList() {
  const [list, setList] = useUrlState({ offset: '0' })
  const imports = useImports(list.offset)
  return (
    <section aria-labelledby="imports-title">
      <Title order={2} size="h4" id="imports-title" mb="sm">
        All imports
      </Title>
      <PagedTable
        label="Table of imports"
        query={imports}
        what="imports"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        minWidth={760}
        empty={
          <EmptyState title="No imports yet">
            <ForMembers>
              Choose a file above and check it. You see the effect of each row before anything changes.
            </ForMembers>
          </EmptyState>
        }
        offset={list.offset}
        onOffset={(offset) => setList({ offset })}
      />
    </section>
  )
}

const COUNTS = [
  ['Rows', 'rows_total'],
  ['Created', 'created'],
  ['Updated', 'updated'],
  ['Unchanged', 'unchanged'],
] as const

const COLORS: Readonly<Record<string, string>> = {
  done: 'green',
  failed: 'red',
  running: 'brand',
  pending: 'brand',
}

const State = ({ of: each }: { of: Import }) => (
  <Badge variant="light" color={COLORS[each.state] ?? 'gray'}>
    {isUnfinished(each) ? `${stateText(each)} ${percentOf(each)} %` : stateText(each)}
  </Badge>
)

const number = new Intl.NumberFormat()

const COLUMNS: readonly Column<Import>[] = [
  {
    label: 'Import',
    role: 'title',
    cell: (one) => (
      <Anchor component={Link} to={`/imports/${one.id}`} fz="sm">
        {titleOf(one)}
      </Anchor>
    ),
  },
  { label: 'Started', cell: ({ created_at: at }) => <When at={at} /> },
  { label: 'Status', cell: (one) => <State of={one} /> },
  ...COUNTS.map(([label, count]): Column<Import> => ({
    label,
    align: 'right',
    cell: (one) => number.format(one[count]),
  })),
  {
    label: 'Failed',
    align: 'right',
    cell: ({ failed }) => (
      <Text size="sm" fw={failed > 0 ? 700 : 400} c={failed > 0 ? 'var(--mantine-color-error)' : undefined}>
        {number.format(failed)}
      </Text>
    ),
  },
]
