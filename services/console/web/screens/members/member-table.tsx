import { List, Table, VisuallyHidden } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import { Loaded } from '../../parts/loaded.tsx'
import { Pager } from '../../parts/pager.tsx'
import { ROLES } from '../../parts/roles.ts'
import { StackedTable } from '../../parts/stacked-table.tsx'
import { useUrlState } from '../../parts/use-url-state.ts'
import { api } from '../../session/api.ts'
import { useSession } from '../../session/use-session.ts'
import { MemberRow, type Member } from './member-row.tsx'
import type { ResetLink } from './reset-link-button.tsx'

const LIMIT = 50

/** Never empty: it contains the signed-in person. */
export function MemberTable({ onResetLink }: { onResetLink: (link: ResetLink) => void }) {
  const { org, isAdmin } = useSession()
  const [{ offset: at }, setState] = useUrlState({ offset: '0' })
  const offset = Number(at) || 0
  const members = useQuery({
    queryKey: ['members', offset],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      unwrap(
        await api.GET('/api/v1/orgs/{org_id}/members', {
          params: { path: { org_id: org.id }, query: { limit: LIMIT, offset } },
          signal,
        }),
      ),
  })
  return (
    <Loaded query={members} what="the members">
      {({ data, total_count: total }) => (
        <>
          <StackedTable label="Members of the organization" minWidth={820}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th>Email</Table.Th>
                <Table.Th>Role</Table.Th>
                <Table.Th>Joined</Table.Th>
                {isAdmin && <Table.Th>Last sign-in</Table.Th>}
                <Table.Th>
                  <VisuallyHidden>Actions</VisuallyHidden>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.map((member) => (
                <MemberRow
                  key={member.id}
                  member={member}
                  isLastAdmin={isLastAdmin(member, data, total)}
                  onResetLink={onResetLink}
                />
              ))}
            </Table.Tbody>
          </StackedTable>
          <Pager
            offset={offset}
            limit={LIMIT}
            total={total}
            what="members"
            onOffset={(next) => setState({ offset: String(next) })}
          />
          <List size="sm" c="dimmed" mt="xs">
            {ROLES.map(({ value, meaning }) => (
              <List.Item key={value}>{meaning}</List.Item>
            ))}
          </List>
        </>
      )}
    </Loaded>
  )
}

/** Known if all members are on the page. Otherwise the API refuses what would leave no administrator. */
const isLastAdmin = (member: Member, page: readonly Member[], total: number) =>
  member.role === 'admin' &&
  page.length === total &&
  page.every(({ id, role }) => id === member.id || role !== 'admin')
