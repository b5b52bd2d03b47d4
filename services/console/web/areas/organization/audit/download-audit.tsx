import { Button } from '@mantine/core'
import { unwrap } from '@whereabouts/client/client'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { countText } from '../../../parts/table/count-text.ts'
import { saveFile } from '../../../parts/download/save-file.ts'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'
import type { queryOf } from './audit-filter.ts'

const PAGE = 200
/** A file that a spreadsheet opens. Who needs more follows the audit with an API key. */
const MOST = 20_000

type Query = ReturnType<typeof queryOf>

/** The rows that the list shows, as CSV. */
export function DownloadAudit({ query }: { query: Query }) {
  const { org } = useSession()
  const [rows, setRows] = useState(0)
  const download = useMutation({
    mutationFn: async () => saveFile(await fileOf(org.id, query, setRows), 'audit.csv'),
  })
  return (
    <>
      <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
        Download CSV
      </Button>
      {download.isPending && <span role="status">{countText(rows, 'rows')}</span>}
      {download.error && <FailureNotice error={download.error} onRetry={() => download.mutate()} />}
    </>
  )
}

/** Page after page, until now: rows that are recorded meanwhile do not shift the others. */
async function fileOf(orgId: number, query: Query, onRows: (rows: number) => void): Promise<Blob> {
  const parts: string[] = []
  const until = { to: new Date().toISOString(), ...query }
  for (let offset = 0; offset < MOST; offset += PAGE) {
    const { lines, total } = await pageOf(orgId, { ...until, limit: PAGE, offset })
    parts.push(offset === 0 ? lines : lines.slice(lines.indexOf('\n') + 1)) // one heading
    onRows(Math.min(offset + PAGE, total))
    if (offset + PAGE >= total) break
  }
  return new Blob(parts, { type: 'text/csv;charset=utf-8' })
}

async function pageOf(orgId: number, query: Query & { limit: number; offset: number }) {
  const answer = await client.GET('/api/v1/orgs/{org_id}/audit', {
    params: { path: { org_id: orgId }, query },
    headers: { Accept: 'text/csv' },
    parseAs: 'text',
  })
  return {
    lines: unwrap(answer),
    total: Number(answer.response.headers.get('X-Total-Count')),
  }
}
