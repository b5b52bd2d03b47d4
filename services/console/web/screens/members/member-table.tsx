import { Table, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type components, unwrap } from '@whereabouts/client/client'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Pager } from '../../parts/pager.tsx'
import { ScrollRegion } from '../../parts/scroll-region.tsx'
import { useUrlState } from '../../parts/use-url-state.ts'
import { When } from '../../parts/when.tsx'
import { api } from '../../session/api.ts'
import { useSession } from '../../session/use-session.ts'
import { RoleSelect } from './role-select.tsx'
import { roleName } from './roles.ts'

const LIMIT = 50

/** Never empty: it contains the signed-in person. */
export function MemberTable() {
  const { org } = useSession()
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
          <ScrollRegion label="Members of the organization">
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Name</Table.Th>
                  <Table.Th>Email</Table.Th>
                  <Table.Th>Role</Table.Th>
                  <Table.Th>Joined</Table.Th>
                  <Table.Th>
                    <span aria-hidden> </span>
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.map((member) => (
                  <MemberRow key={member.id} member={member} />
                ))}
              </Table.Tbody>
            </Table>
          </ScrollRegion>
          <Pager
            offset={offset}
            limit={LIMIT}
            total={total}
            what="members"
            onOffset={(next) => setState({ offset: String(next) })}
          />
        </>
      )}
    </Loaded>
  )
}

function MemberRow({ member }: { member: components['schemas']['Member'] }) {
  const { user, org, isAdmin } = useSession()
  const isMe = member.id === user.id
  const remove = async () =>
    unwrap(
      await api.DELETE('/api/v1/orgs/{org_id}/members/{user_id}', {
        params: { path: { org_id: org.id, user_id: member.id } },
      }),
    )
  return (
    <Table.Tr>
      <Table.Td>
        {member.name}
        {isMe && (
          <Text span size="sm" c="dimmed">
            {' '}
            (you)
          </Text>
        )}
      </Table.Td>
      <Table.Td>{member.email}</Table.Td>
      <Table.Td>{isAdmin ? <RoleSelect member={member} /> : roleName(member.role)}</Table.Td>
      <Table.Td>
        <When at={member.joined_at} as="day" />
      </Table.Td>
      <Table.Td ta="right">
        {(isAdmin || isMe) && (
          <ConfirmButton
            label={isMe ? 'Leave' : 'Remove'}
            ariaLabel={isMe ? `Leave ${org.name}` : `Remove ${member.name}`}
            size="compact-xs"
            reload={isMe ? [] : [['members']]}
            work={remove}
            onDone={() => isMe && location.assign('/')}
          >
            {isMe
              ? 'You lose access immediately. To return, you need a new invitation.'
              : `${member.name} loses access immediately. The data they entered stays.`}
          </ConfirmButton>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
