import { List } from '@mantine/core'
import { useMemo } from 'react'
import { usePage } from '../../../parts/load/use-read.ts'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { ROLES } from '../../../parts/things/roles.ts'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { useSession } from '../../../session/use-session.ts'
import { memberColumns, type Member } from './member-columns.tsx'
import type { ResetLink } from './reset-link-button.tsx'

const LIMIT = 50

/** Never empty: it contains the signed-in person. */
export function MemberTable({ onResetLink }: { onResetLink: (link: ResetLink) => void }) {
  const { org, isAdmin } = useSession()
  const [{ offset }, setState] = useUrlState({ offset: '0' })
  const members = usePage(['members', offset], '/api/v1/orgs/{org_id}/members', {
    path: { org_id: org.id },
    query: { limit: LIMIT, offset: Number(offset) || 0 },
  })
  const columns = useMemo(() => {
    const { data = [], total_count: total = 0 } = members.data ?? {}
    return memberColumns({
      isAdmin,
      isLastAdmin: (member) => isLastAdmin(member, data, total),
      onResetLink,
    })
  }, [members.data, isAdmin, onResetLink])
  return (
    <>
      <PagedTable
        label="Members of the organization"
        query={members}
        what="members"
        columns={columns}
        rowKey={({ id }) => id}
        minWidth={820}
        empty={null}
        offset={offset}
        onOffset={(next) => setState({ offset: next })}
      />
      <List size="sm" c="dimmed" mt="xs">
        {ROLES.map(({ value, meaning }) => (
          <List.Item key={value}>{meaning}</List.Item>
        ))}
      </List>
    </>
  )
}

/** Known if all members are on the page. Otherwise the API refuses what would leave no administrator. */
const isLastAdmin = (member: Member, page: readonly Member[], total: number) =>
  member.role === 'admin' &&
  page.length === total &&
  page.every(({ id, role }) => id === member.id || role !== 'admin')
