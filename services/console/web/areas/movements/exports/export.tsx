import { Alert, Anchor, Button, Group, Paper, Text } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { components } from '@whereabouts/client/client'
import { useSend } from '../../../parts/form/use-send.ts'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { BackLink } from '../../../parts/page/back-link.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { type Column, DataTable } from '../../../parts/table/data-table.tsx'
import { When } from '../../../parts/time/when.tsx'
import { DeleteExport, ExportProgress } from './export-columns.tsx'
import { againOf, isUnfinished, progressText, sizeText, timesText, titleOf } from './export-texts.ts'
import { beginExport, tooManyExports, useOneExport } from './use-exports.ts'

type Export = components['schemas']['ExportDetail']
type File = Export['files'][number]

/** One export: its progress and its files. */
export default function ExportScreen() {
  const { exportId }: { exportId?: string } = useParams({ strict: false })
  return <OneExport key={exportId} id={Number(exportId)} />
}

const NO_EXPORT = { name: 'export', list: 'All exports', to: '/exports' }

function OneExport({ id }: { id: number }) {
  const one = useOneExport(id)
  const navigate = useNavigate()
  return (
    <Screen
      title={one.data ? titleOf(one.data) : 'Export'}
      lead={<BackLink list={NO_EXPORT.list} to={NO_EXPORT.to} />}
      actions={one.data && <DeleteExport one={one.data} onDone={() => void navigate({ to: '/exports' })} />}
    >
      <Loaded query={one} what="the export" missing={NO_EXPORT}>
        {(data) => (
          <>
            <Problem one={data} />
            <Summary one={data} />
            <Files one={data} />
          </>
        )}
      </Loaded>
    </Screen>
  )
}

/** Why it failed, what to do, and the button for it. */
function Problem({ one }: { one: Export }) {
  const navigate = useNavigate()
  const again = useSend(() => beginExport(againOf(one)), {
    reload: [['exports', 'list']],
    onDone: ({ id }) => void navigate({ to: `/exports/${id}` }),
    explain: tooManyExports,
  })
  if (one.status !== 'failed') return null
  return (
    <Alert color="red" variant="light" title="The export failed" role="alert">
      <Text size="sm">{one.problem}</Text>
      {again.error !== undefined && <FailureNotice error={again.error} />}
      <Group mt="sm">
        <Button size="xs" variant="default" loading={again.isSending} onClick={() => again.send(undefined)}>
          Begin again
        </Button>
      </Group>
    </Alert>
  )
}

const Summary = ({ one }: { one: Export }) => (
  <Paper withBorder p="md" component="section" aria-label="Progress">
    <Group justify="space-between">
      <Text fw={600} role="status">
        {progressText(one)}
      </Text>
      <Text size="sm" component="div">
        {one.expires_at === null ? 'Started ' : 'Kept until '}
        <When
          at={one.expires_at ?? one.created_at}
          {...(one.expires_at !== null && { as: 'day' as const })}
        />
      </Text>
    </Group>
    <ExportProgress one={one} />
    <Text size="sm" mt={4}>
      {timesText(one)}
    </Text>
  </Paper>
)

function Files({ one }: { one: Export }) {
  if (one.files.length === 0)
    return one.status === 'done' ? (
      <EmptyState title="No files">
        There are no rows in this time. Choose a longer or an earlier time.
      </EmptyState>
    ) : null
  return (
    <section aria-label="Files">
      <Text size="sm" mb="sm">
        {`Days are of UTC; a day without rows has no file. Anybody who has the link of a file can read it until the export is removed, so do not publish it.${isUnfinished(one) ? ' More files may follow.' : ''}`}
      </Text>
      <DataTable label="Table of files" columns={COLUMNS} rows={one.files} rowKey={({ name }) => name} />
    </section>
  )
}

const number = new Intl.NumberFormat()

const COLUMNS: readonly Column<File>[] = [
  {
    label: 'File',
    role: 'title',
    cell: ({ name, url }) => (
      <Anchor href={url} download={name} fz="sm" style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Anchor>
    ),
  },
  { label: 'Rows', align: 'right', cell: ({ rows }) => number.format(rows) },
  { label: 'Size', align: 'right', cell: ({ bytes }) => sizeText(bytes) },
  { label: 'SHA-256', cell: ({ sha256 }) => <code title={sha256}>{`${sha256.slice(0, 12)}…`}</code> },
]
