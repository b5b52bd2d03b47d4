import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession } from '../../../session/use-session.ts'
import { usePage } from '../../load/use-read.ts'
import { PagedTable } from '../../table/paged-table.tsx'
import { COLUMNS_OF_ONE } from './audit-columns.tsx'

const LIMIT = 10

export type Audited = { type: 'asset' | 'location' | 'reader'; id: number }

export default function Rows({ type, id }: Audited) {
  const { org } = useSession()
  const [offset, setOffset] = useState('0')
  const rows = usePage(['audit', org.id, type, id, offset], '/api/v1/orgs/{org_id}/audit', {
    path: { org_id: org.id },
    query: { subject_type: type, subject_id: id, limit: LIMIT, offset: Number(offset) },
  })
  const page = rows.data && {
    data: rows.data.data,
    limit: LIMIT,
    total_count: rows.data.total_count ?? 0,
  }
  return (
    <>
      <PagedTable
        label={`Changes of this ${type}`}
        query={{ ...rows, data: page }}
        what="changes"
        columns={COLUMNS_OF_ONE}
        rowKey={(row) => row.id}
        minWidth={640}
        empty={
          <Text size="sm" c="dimmed">
            Nobody has changed this {type} in the last 400 days.
          </Text>
        }
        offset={offset}
        onOffset={setOffset}
      />
      <Anchor
        component={Link}
        to="/audit"
        search={() => ({ type, thing: String(id) }) as never}
        size="sm"
        underline="always"
      >
        Show them in the audit
      </Anchor>
    </>
  )
}
