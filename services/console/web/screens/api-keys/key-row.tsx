import { Badge, Checkbox, Group, Table, Text } from '@mantine/core'
import { type components, unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { Cell } from '../../parts/stacked-table.tsx'
import { When } from '../../parts/when.tsx'
import { api } from '../../session/api.ts'
import { useSession } from '../../session/use-session.ts'
import { scopeText } from './key-scopes.ts'

type Props = {
  apiKey: components['schemas']['ApiKey']
  /** The name of the key that created it; undefined if it is not on the same page. */
  parentName: string | undefined
  loadedAt: number
}

export function KeyRow({ apiKey, parentName, loadedAt }: Props) {
  const { org } = useSession()
  const { id, jti, name, scopes, created_at, created_by_key_id: parentId, last_used_at, expires_at } = apiKey
  const [withDescendants, setWithDescendants] = useState(false)
  const isExpired = expires_at !== null && Date.parse(expires_at) < loadedAt
  const revoke = async () =>
    unwrap(
      await api.DELETE('/api/v1/orgs/{org_id}/api-keys/{key_id}', {
        params: {
          path: { org_id: org.id, key_id: String(id) },
          query: withDescendants ? { descendants: true } : {},
        },
      }),
    )
  return (
    <Table.Tr>
      <Cell>
        <Text size="sm" fw={500}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" ff="monospace">
          {jti}
        </Text>
      </Cell>
      <Cell label="May do">
        <Group gap={4}>
          {scopes.map((scope) => (
            <Badge key={scope} variant="light" color="gray" tt="none" title={scope}>
              {scopeText(scope)}
            </Badge>
          ))}
        </Group>
      </Cell>
      <Cell label="Created">
        <When at={created_at} />
        {parentId !== null && (
          <Text size="xs" c="dimmed">
            by {parentName === undefined ? `key ${parentId}` : `the key ${parentName}`}
          </Text>
        )}
      </Cell>
      <Cell label="Last used">{last_used_at === null ? 'Never' : <When at={last_used_at} />}</Cell>
      <Cell label="Expires">
        {expires_at === null ? 'Never' : <When at={expires_at} as="day" />}
        {isExpired && (
          <Badge color="yellow" variant="light" ml="xs">
            Expired
          </Badge>
        )}
      </Cell>
      <Cell align="right">
        <ConfirmButton
          label="Revoke"
          ariaLabel={`Revoke ${name}`}
          size="xs"
          work={revoke}
          reload={[['api-keys']]}
        >
          {`Programs that use ${name} are refused within a second, and readers that use it are disconnected. This cannot be undone: they need a new key.`}
          {scopes.includes('keys:admin') && (
            <Checkbox
              mt="sm"
              label="Also revoke the keys it created"
              description="And those that they created"
              checked={withDescendants}
              onChange={(event) => setWithDescendants(event.currentTarget.checked)}
            />
          )}
        </ConfirmButton>
      </Cell>
    </Table.Tr>
  )
}
