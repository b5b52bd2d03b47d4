import { Badge, Group, Table, Text } from '@mantine/core'
import { type components, unwrap } from '@whereabouts/client/client'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { When } from '../../parts/when.tsx'
import { api } from '../../session/api.ts'
import { useSession } from '../../session/use-session.ts'

const NO_WRAP = { whiteSpace: 'nowrap' } as const

type Props = { apiKey: components['schemas']['ApiKey']; loadedAt: number }

export function KeyRow({ apiKey, loadedAt }: Props) {
  const { org } = useSession()
  const { id, jti, name, scopes, created_at, last_used_at, expires_at } = apiKey
  const isExpired = expires_at !== null && Date.parse(expires_at) < loadedAt
  const revoke = async () =>
    unwrap(
      await api.DELETE('/api/v1/orgs/{org_id}/api-keys/{key_id}', {
        params: { path: { org_id: org.id, key_id: String(id) } },
      }),
    )
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={500}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" ff="monospace" style={NO_WRAP}>
          {jti}
        </Text>
      </Table.Td>
      <Table.Td>
        <Group gap={4}>
          {scopes.map((scope) => (
            <Badge key={scope} variant="light" color="gray" tt="none">
              {scope}
            </Badge>
          ))}
        </Group>
      </Table.Td>
      <Table.Td style={NO_WRAP}>
        <When at={created_at} />
      </Table.Td>
      <Table.Td style={NO_WRAP}>{last_used_at === null ? 'Never' : <When at={last_used_at} />}</Table.Td>
      <Table.Td style={NO_WRAP}>
        {expires_at === null ? 'Never' : <When at={expires_at} as="day" />}
        {isExpired && (
          <Badge color="yellow" variant="light" ml="xs">
            Expired
          </Badge>
        )}
      </Table.Td>
      <Table.Td ta="right">
        <ConfirmButton
          label="Revoke"
          ariaLabel={`Revoke ${name}`}
          size="xs"
          work={revoke}
          reload={[['api-keys']]}
        >
          {`Tokens of ${name} stop working within a second. Readers that use this key are disconnected. This cannot be undone.`}
        </ConfirmButton>
      </Table.Td>
    </Table.Tr>
  )
}
