import { Anchor, Title } from '@mantine/core'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { EXPORT_COLUMNS } from './export-columns.tsx'
import { NewExport } from './new-export.tsx'
import { useExports } from './use-exports.ts'
import { ForMembers } from '../../../session/for-members.tsx'

/** History, movements, assets and locations as files. */
export default function Exports() {
  return (
    <Screen
      title="Exports"
      lead={
        <>
          History, movements, assets and locations as files, with a file for each day.{' '}
          <Anchor href="/docs/exports" underline="always" inherit>
            Columns and tools
          </Anchor>
        </>
      }
    >
      <ForMembers isExplained>
        <NewExport />
      </ForMembers>
      <ExportList />
    </Screen>
  )
}

function ExportList() {
  const [list, setList] = useUrlState({ offset: '0' })
  return (
    <section aria-labelledby="exports-title">
      <Title order={2} size="h4" id="exports-title" mb="sm">
        All exports
      </Title>
      <PagedTable
        label="Table of exports"
        query={useExports(list.offset)}
        what="exports"
        columns={EXPORT_COLUMNS}
        rowKey={({ id }) => id}
        minWidth={860}
        empty={
          <EmptyState title="No exports">
            <ForMembers>Begin one above. </ForMembers>
            The files of an export are kept for a day, and everybody in your organization sees them here.
          </EmptyState>
        }
        offset={list.offset}
        onOffset={(offset) => setList({ offset })}
      />
    </section>
  )
}
