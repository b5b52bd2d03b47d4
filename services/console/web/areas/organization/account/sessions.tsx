import { Badge, Text } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { useState } from 'react'
import { usePage } from '../../../parts/load/use-read.ts'
import { Card } from '../../../parts/page/card.tsx'
import { ConfirmButton } from '../../../parts/form/confirm-button.tsx'
import type { Column } from '../../../parts/table/data-table.tsx'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { When } from '../../../parts/time/when.tsx'
import { api } from '../../../session/api.ts'

const LIMIT = 10

type Session = components['schemas']['SignedIn']

/** Browsers in which the person is signed in, in all organizations. Never empty: it contains this one. */
export function Sessions() {
  const [offset, setOffset] = useState('0')
  const sessions = usePage(['sessions', offset], '/api/v1/users/me/sessions', {
    query: { limit: LIMIT, offset: Number(offset) },
  })
  return (
    <Card title="Where you are signed in">
      <Text size="sm" c="dimmed">
        End a session that you do not know, and change your password.
      </Text>
      <PagedTable
        label="Your sessions"
        query={sessions}
        what="sessions"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={null}
        offset={offset}
        onOffset={setOffset}
      />
    </Card>
  )
}

const COLUMNS: readonly Column<Session>[] = [
  { label: 'Organization', role: 'title', cell: ({ org }) => org.name },
  { label: 'Signed in', cell: ({ created_at: at }) => <When at={at} as="day" /> },
  { label: 'Last used', cell: ({ last_used_at: at }) => <When at={at} /> },
  { label: 'Action', role: 'actions', cell: (session) => <End session={session} /> },
]

const End = ({ session }: { session: Session }) =>
  session.current ? (
    <Badge variant="light" autoContrast>
      This session
    </Badge>
  ) : (
    <ConfirmButton
      label="End"
      ariaLabel={`End the session in ${session.org.name}`}
      size="compact-sm"
      reload={[['sessions']]}
      work={() => api.delete('/api/v1/users/me/sessions/{session_id}', { path: { session_id: session.id } })}
    >
      That browser must sign in again. Text that is typed there but not saved stays until then.
    </ConfirmButton>
  )
