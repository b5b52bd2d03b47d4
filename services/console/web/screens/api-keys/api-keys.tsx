import { Button, Table, VisuallyHidden } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type components, unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Screen } from '../../parts/screen.tsx'
import { StackedTable } from '../../parts/stacked-table.tsx'
import { useUrlState } from '../../parts/use-url-state.ts'
import { api } from '../../session/api.ts'
import { useSession } from '../../session/use-session.ts'
import { CreatedKey } from './created-key.tsx'
import { KeyRow } from './key-row.tsx'
import { NewKey } from './new-key.tsx'

const PAGE = 50

export default function ApiKeys() {
  const { isAdmin } = useSession()
  const [isOpen, setOpen] = useState(false)
  const [created, setCreated] = useState<components['schemas']['ApiKeyCreated']>()
  return (
    <Screen
      title="API keys"
      lead="Each program and each reader logs in with a key. A program uses it to get an access token, a reader while it sends."
      actions={isAdmin ? <Button onClick={() => setOpen(true)}>New key</Button> : undefined}
    >
      {isAdmin ? (
        <KeyList />
      ) : (
        <EmptyState title="Only administrators can manage API keys">
          Need a key? Ask an administrator. They are listed under Members.
        </EmptyState>
      )}
      {isOpen && (
        <NewKey
          onClose={() => setOpen(false)}
          onCreated={(key) => {
            setOpen(false)
            setCreated(key)
          }}
        />
      )}
      {created && <CreatedKey apiKey={created} onStored={() => setCreated(undefined)} />}
    </Screen>
  )
}

function useApiKeys(offset: number) {
  const { org } = useSession()
  return useQuery({
    queryKey: ['api-keys', offset],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      unwrap(
        await api.GET('/api/v1/orgs/{org_id}/api-keys', {
          params: { path: { org_id: org.id }, query: { limit: PAGE, offset } },
          signal,
        }),
      ),
  })
}

function KeyList() {
  const [{ offset }, setPage] = useUrlState({ offset: '0' })
  const keys = useApiKeys(Number(offset))
  return (
    <Loaded query={keys} what="the API keys">
      {({ data, total_count: total }) =>
        total === 0 ? (
          <EmptyState title="No API keys yet">
            Create one key per program and per reader, so that you can revoke each separately.
          </EmptyState>
        ) : (
          <>
            <KeyTable keys={data} loadedAt={keys.dataUpdatedAt} />
            <Pager
              offset={Number(offset)}
              limit={PAGE}
              total={total}
              onOffset={(next) => setPage({ offset: String(next) })}
              what="API keys"
            />
          </>
        )
      }
    </Loaded>
  )
}

type TableProps = { keys: readonly components['schemas']['ApiKey'][]; loadedAt: number }

function KeyTable({ keys, loadedAt }: TableProps) {
  return (
    <StackedTable label="API keys" minWidth={980}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name and ID</Table.Th>
          <Table.Th>May do</Table.Th>
          <Table.Th>Created</Table.Th>
          <Table.Th>Last used</Table.Th>
          <Table.Th>Expires</Table.Th>
          <Table.Th>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {keys.map((key) => (
          <KeyRow
            key={key.id}
            apiKey={key}
            parentName={keys.find(({ id }) => id === key.created_by_key_id)?.name}
            loadedAt={loadedAt}
          />
        ))}
      </Table.Tbody>
    </StackedTable>
  )
}
