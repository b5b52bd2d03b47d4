import { Button } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { useState } from 'react'
import IconPlus from '@tabler/icons-react/icons/IconPlus'
import { usePage } from '../../../parts/load/use-read.ts'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { useWanted } from '../../../parts/load/wanted.ts'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { useSession } from '../../../session/use-session.ts'
import { CreatedKey } from './created-key.tsx'
import { keyColumns } from './key-columns.tsx'
import { NewKey } from './new-key.tsx'
import { Icon } from '../../../parts/page/icon.tsx'

const PAGE = 50

export default function ApiKeys() {
  const { isAdmin } = useSession()
  const [isOpen, setOpen] = useState(false)
  const [created, setCreated] = useState<components['schemas']['ApiKeyCreated']>()
  useWanted('new-key', () => isAdmin && setOpen(true))
  return (
    <Screen
      title="API keys"
      lead="Each program and each reader logs in with a key. A program uses it to get an access token, a reader while it sends."
      actions={
        isAdmin ? (
          <Button leftSection={<Icon of={IconPlus} size={16} />} onClick={() => setOpen(true)}>
            New key
          </Button>
        ) : undefined
      }
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
  return usePage(['api-keys', offset], '/api/v1/orgs/{org_id}/api-keys', {
    path: { org_id: org.id },
    query: { limit: PAGE, offset },
  })
}

function KeyList() {
  const [{ offset }, setPage] = useUrlState({ offset: '0' })
  const keys = useApiKeys(Number(offset))
  return (
    <PagedTable
      label="API keys"
      query={keys}
      what="API keys"
      columns={keyColumns(keys.data?.data ?? [], keys.dataUpdatedAt)}
      rowKey={({ id }) => id}
      minWidth={980}
      empty={
        <EmptyState title="No API keys yet">
          Create one key per program and per reader, so that you can revoke each separately.
        </EmptyState>
      }
      offset={offset}
      onOffset={(next) => setPage({ offset: next })}
    />
  )
}
