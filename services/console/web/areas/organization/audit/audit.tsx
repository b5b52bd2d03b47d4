import { Anchor } from '@mantine/core'
import { COLUMNS_OF_ALL } from '../../../parts/audit/later/audit-columns.tsx'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { usePage } from '../../../parts/load/use-read.ts'
import { Screen } from '../../../parts/page/screen.tsx'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { ViewsMenu } from '../../../parts/views/views-menu.tsx'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { useSession } from '../../../session/use-session.ts'
import { DEFAULTS, type Filter, queryOf } from './audit-filter.ts'
import { AuditFilters } from './audit-filters.tsx'
import { DownloadAudit } from './download-audit.tsx'

const LIMIT = 50
const REFRESH_MS = 10_000

/** Who did what in the organization, for its administrators. */
export default function Audit() {
  const { isAdmin } = useSession()
  const [filter, setFilter] = useUrlState(DEFAULTS)
  return (
    <Screen
      title="Audit"
      lead={
        <>
          Who changed what, and who signed in, in the last 400 days. Programs follow it with an API key:{' '}
          <Anchor href="/docs/people" underline="always" inherit>
            how to follow the audit
          </Anchor>
        </>
      }
      actions={
        isAdmin && (
          <>
            <ViewsMenu list="audit" />
            <DownloadAudit query={queryOf(filter)} />
          </>
        )
      }
    >
      {isAdmin ? (
        <>
          <AuditFilters filter={filter} onChange={setFilter} />
          <Rows filter={filter} onOffset={(offset) => setFilter({ offset })} />
        </>
      ) : (
        <EmptyState title="Only administrators can read the audit">
          Need to know who changed something? Ask an administrator. They are listed under Members.
        </EmptyState>
      )}
    </Screen>
  )
}

function Rows({ filter, onOffset }: { filter: Filter; onOffset: (offset: string) => void }) {
  const { org } = useSession()
  const query = { ...queryOf(filter), limit: LIMIT, offset: Number(filter.offset) || 0 }
  const rows = usePage(['audit', org.id, query], '/api/v1/orgs/{org_id}/audit', {
    path: { org_id: org.id },
    query,
    refetchInterval: REFRESH_MS,
  })
  const page = rows.data && {
    data: rows.data.data,
    limit: LIMIT,
    total_count: rows.data.total_count ?? 0,
  }
  return (
    <PagedTable
      label="Audit"
      query={{ ...rows, data: page }}
      what="rows"
      columns={COLUMNS_OF_ALL}
      rowKey={({ id }) => id}
      minWidth={900}
      empty={
        <EmptyState title="Nothing found">
          Nobody did this in the last 400 days. Choose another time, person or thing.
        </EmptyState>
      }
      offset={filter.offset}
      onOffset={onOffset}
    />
  )
}
