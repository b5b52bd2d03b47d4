import { Badge, Checkbox, Group, Text } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { useState } from 'react'
import { ActivityLink } from '../audit/activity-link.tsx'
import { ConfirmButton } from '../../../parts/form/confirm-button.tsx'
import type { Column } from '../../../parts/table/data-table.tsx'
import { When } from '../../../parts/time/when.tsx'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'
import { scopeTexts } from './key-scopes.ts'

type ApiKey = components['schemas']['ApiKey']

/** `page`: the listed keys, in which the name of the key that created another one is looked up. */
export const keyColumns = (page: readonly ApiKey[], loadedAt: number): readonly Column<ApiKey>[] => [
  {
    label: 'Name and ID',
    role: 'title',
    cell: ({ name, jti }) => (
      <>
        <Text size="sm" fw={500}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" ff="monospace">
          {jti}
        </Text>
      </>
    ),
  },
  {
    label: 'May do',
    cell: ({ scopes }) => (
      <Group gap={4}>
        {scopeTexts(scopes).map(([text, names]) => (
          <Badge key={text} variant="light" color="gray" tt="none" title={names.join(', ')}>
            {text}
          </Badge>
        ))}
      </Group>
    ),
  },
  {
    label: 'Created',
    cell: ({ created_at, created_by_key_id: parentId }) => (
      <>
        <When at={created_at} />
        {parentId !== null && (
          <Text size="xs" c="dimmed">
            {`by ${parentText(page, parentId)}`}
          </Text>
        )}
      </>
    ),
  },
  {
    label: 'Last used',
    cell: ({ last_used_at }) => (last_used_at === null ? 'Never' : <When at={last_used_at} />),
  },
  {
    label: 'Expires',
    cell: ({ expires_at }) =>
      expires_at === null ? (
        'Never'
      ) : (
        <>
          <When at={expires_at} as="day" />
          {Date.parse(expires_at) < loadedAt && (
            <Badge color="yellow" variant="light" ml="xs">
              Expired
            </Badge>
          )}
        </>
      ),
  },
  {
    label: 'Actions',
    role: 'actions',
    cell: (apiKey) => (
      <Group gap="sm" justify="flex-end" wrap="nowrap">
        <ActivityLink id={apiKey.id} name={apiKey.name} />
        <RevokeButton apiKey={apiKey} />
      </Group>
    ),
  },
]

function parentText(page: readonly ApiKey[], parentId: number): string {
  const parent = page.find(({ id }) => id === parentId)
  return parent ? `the key ${parent.name}` : `key ${parentId}`
}

function RevokeButton({ apiKey: { id, name, scopes } }: { apiKey: ApiKey }) {
  const { org } = useSession()
  const [withDescendants, setWithDescendants] = useState(false)
  const revoke = () =>
    api.delete('/api/v1/orgs/{org_id}/api-keys/{key_id}', {
      path: { org_id: org.id, key_id: String(id) },
      query: withDescendants ? { descendants: true } : {},
    })
  return (
    <ConfirmButton
      label="Revoke"
      ariaLabel={`Revoke ${name}`}
      size="compact-sm"
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
  )
}
