import { Alert, Button, Group, Paper, Progress, SimpleGrid, Text } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { BackLink } from '../../../parts/page/back-link.tsx'
import { ConfirmButton } from '../../../parts/form/confirm-button.tsx'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { When } from '../../../parts/time/when.tsx'
import { api } from '../../../session/api.ts'
import { encodingText, isUnfinished, percentOf, progressText, titleOf, type Import } from './import-files.ts'
import { ImportRows } from './import-rows.tsx'
import { OUTCOMES, useImport, useReloadWhenDone } from './use-imports.ts'
import { ForMembers } from '../../../session/for-members.tsx'

/** One import or dry run: its progress and the outcome of each row. */
export default function ImportScreen() {
  const { importId }: { importId?: string } = useParams({ strict: false })
  return <OneImport key={importId} id={Number(importId)} />
}

const NO_IMPORT = { name: 'import', list: 'All imports', to: '/imports' }

function OneImport({ id }: { id: number }) {
  const one = useImport(id)
  useReloadWhenDone(one.data)
  return (
    <Screen
      title={one.data ? titleOf(one.data) : 'Import'}
      lead={<BackLink list={NO_IMPORT.list} to={NO_IMPORT.to} />}
      actions={
        one.data && (
          <ForMembers isExplained>
            <Actions one={one.data} />
          </ForMembers>
        )
      }
    >
      <Loaded query={one} what="the import" missing={NO_IMPORT}>
        {(data) => (
          <>
            <Doubts one={data} />
            <ApplyNotice one={data} />
            <Summary one={data} />
            <IgnoredColumns one={data} />
            <ImportRows data={data} />
          </>
        )}
      </Loaded>
    </Screen>
  )
}

/** After a finished dry run: its effect, and the button that applies it. */
function ApplyNotice({ one }: { one: Import }) {
  const navigate = useNavigate()
  const apply = useSend(
    (id: number) => api.post('/api/v1/imports/{import_id}/apply', { path: { import_id: id } }),
    { reload: [['imports', 'list']], onDone: ({ id }) => void navigate({ to: `/imports/${id}` }) },
  )
  if (!one.dry_run || one.state !== 'done') return null
  const changing = one.created + one.updated
  return (
    <Alert color="brand" variant="light" title="Nothing has changed yet">
      <Text size="sm">
        {changing === 0
          ? 'This file would not change anything.'
          : `Apply to create ${counted(one.created)} and update ${counted(one.updated)}.`}
        {one.failed > 0 &&
          ` Failed rows (${counted(one.failed)}) are skipped. Download them below, correct them and check that file. Or apply the others now.`}
      </Text>
      {apply.error !== undefined && <FailureNotice error={apply.error} />}
      <ForMembers>
        <Group mt="sm">
          <Button onClick={() => apply.send(one.id)} loading={apply.isSending} disabled={changing === 0}>
            Apply
          </Button>
        </Group>
      </ForMembers>
    </Alert>
  )
}

const counted = (count: number) => new Intl.NumberFormat().format(count)

function Summary({ one }: { one: Import }) {
  return (
    <Paper withBorder p="md" component="section" aria-label="Progress">
      <Group justify="space-between" mb={6}>
        <Text fw={600} role="status">
          {progressText(one)}
        </Text>
        <Text size="sm" component="div">
          {one.finished_at === null ? 'Started ' : 'Finished '}
          <When at={one.finished_at ?? one.created_at} />
        </Text>
      </Group>
      <Progress
        value={percentOf(one)}
        animated={isUnfinished(one)}
        color={one.state === 'failed' ? 'red' : undefined}
        aria-label="Processed rows"
      />
      <SimpleGrid cols={{ base: 2, sm: 4 }} mt="md">
        {OUTCOMES.toReversed().map((outcome) => (
          <div key={outcome}>
            <Text size="xs" c="dimmed">
              {WORDS[outcome][one.dry_run ? 0 : 1]}
            </Text>
            <Text
              fz={22}
              fw={700}
              c={outcome === 'failed' && one.failed > 0 ? 'var(--mantine-color-error)' : undefined}
            >
              {counted(one[outcome])}
            </Text>
          </div>
        ))}
      </SimpleGrid>
    </Paper>
  )
}

function IgnoredColumns({ one: { ignored_columns: columns } }: { one: Import }) {
  if (columns.length === 0) return null
  const names = columns.map((name) => (name === '' ? 'a column without a name' : name)).join(', ')
  return (
    <Text size="sm">{`Ignored: ${names}. The import does not read what an export adds for information.`}</Text>
  )
}

/** What may have gone wrong before the file was sent: to be looked at before it is applied. */
function Doubts({ one }: { one: Import }) {
  const read = encodingText(one)
  if (!read && one.warned === 0 && one.tags_removed === 0) return null
  return (
    <Alert color="yellow" variant="light" title="Look at this first">
      {read && (
        <Text size="sm">
          {read.read}
          {read.names !== '' &&
            ` Are these names right? ${read.names}. If not, save it as “CSV UTF-8” in the spreadsheet.`}
        </Text>
      )}
      {one.warned > 0 && (
        <Text size="sm">
          {`Doubtful rows: ${counted(one.warned)}. A spreadsheet may have changed them; they do not fail. See them below.`}
        </Text>
      )}
      {one.tags_removed > 0 && (
        <Text size="sm">
          {`Tags that ${one.dry_run ? 'would be removed' : 'were removed'}: ${counted(one.tags_removed)}.`}
          {one.dry_run &&
            one.empty_cells === 'clear' &&
            ' To keep tags where a cell is empty, check the file again with “Leaves alone”.'}
        </Text>
      )}
    </Alert>
  )
}

/** Labels for a dry run and for an import. */
const WORDS = {
  created: ['Would be created', 'Created'],
  updated: ['Would be updated', 'Updated'],
  unchanged: ['Would stay unchanged', 'Unchanged'],
  failed: ['Would fail', 'Failed'],
} as const

function Actions({ one }: { one: Import }) {
  const navigate = useNavigate()
  const isRunning = isUnfinished(one)
  const remove = async () => {
    await api.delete('/api/v1/imports/{import_id}', { path: { import_id: one.id } })
  }
  if (isRunning)
    return (
      <ConfirmButton label="Cancel import" work={remove} reload={[['imports']]}>
        {one.dry_run
          ? 'This stops the check.'
          : 'Processed rows stay imported. The remaining rows are skipped.'}
      </ConfirmButton>
    )
  return (
    <ConfirmButton
      label="Remove"
      work={remove}
      reload={[['imports', 'list']]}
      onDone={() => void navigate({ to: '/imports' })}
    >
      This removes the report. The imported data stays.
    </ConfirmButton>
  )
}
