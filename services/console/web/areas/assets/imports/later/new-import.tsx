import { Button, FileInput, Group, Paper, Progress, SegmentedControl, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type DragEvent, useEffect, useRef, useState } from 'react'
import { SendForm } from '../../../../parts/form/send-form.tsx'
import { useSend } from '../../../../parts/form/use-send.ts'
import { ExpectedColumns } from '../expected-columns.tsx'
import { problemOf, RESOURCES, unreadableFile, type EmptyCells, type Resource } from '../import-files.ts'
import { UnknownColumns, useUnknownColumns } from '../unknown-columns.tsx'
import { upload } from '../upload.ts'

/** Uploads a file as a dry run: people see the effect before anything changes. */
export default function NewImport() {
  const [resource, setResource] = useState<Resource>('assets')
  const [file, setFile] = useState<File | null>(null)
  const [emptyCells, setEmptyCells] = useState<EmptyCells>('clear')
  const columns = useUnknownColumns()
  const [sent, setSent] = useState(0)
  const running = useRef<AbortController>(undefined)
  const navigate = useNavigate()
  const send = useSend(
    async (chosen: File) => {
      const controller = new AbortController()
      running.current = controller
      setSent(0)
      return upload({
        file: chosen,
        resource,
        isDryRun: true,
        emptyCells,
        assigned: columns.assigned,
        signal: controller.signal,
        onProgress: setSent,
      }).catch(columns.rememberAndThrow)
    },
    {
      reload: [['imports', 'list']],
      onDone: ({ id }) => void navigate({ to: `/imports/${id}` }),
      explain: unreadableFile,
    },
  )
  useEffect(() => () => running.current?.abort(), [])
  const choose = (chosen: File | null) => {
    send.reset()
    columns.reset()
    setFile(chosen)
  }
  const problem = file ? problemOf(file) : undefined
  const failed = isCancelled(send.error) ? { ...send, error: undefined } : send
  return (
    <DropZone onFile={choose} isDisabled={send.isSending}>
      <SendForm
        send={failed}
        label="Check file"
        onSubmit={() => file && send.send(file)}
        isDisabled={file === null || problem !== undefined}
      >
        <Text size="sm" fw={500} id="resource-label">
          The file contains
        </Text>
        <Group>
          <SegmentedControl
            data={[...RESOURCES]}
            value={resource}
            onChange={(value) => {
              setResource(value === 'locations' ? 'locations' : 'assets')
              columns.reset()
            }}
            disabled={send.isSending}
            aria-labelledby="resource-label"
          />
        </Group>
        <FileInput
          label="CSV file"
          description="Choose a file or drop it here. At most 64 MiB and 100,000 rows."
          placeholder="Choose a file"
          accept=".csv,text/csv"
          value={file}
          onChange={choose}
          error={problem}
          disabled={send.isSending}
          clearable
          clearButtonProps={{ 'aria-label': 'Remove file' }}
        />
        <Text size="sm" fw={500} id="empty-label">
          An empty cell clears the value and removes tags, or leaves both alone
        </Text>
        <Group>
          <SegmentedControl
            data={EMPTY_CELLS}
            value={emptyCells}
            onChange={(value) => setEmptyCells(value === 'keep' ? 'keep' : 'clear')}
            disabled={send.isSending}
            aria-labelledby="empty-label"
          />
        </Group>
        <UnknownColumns resource={resource} columns={columns} />
        <ExpectedColumns resource={resource} />
        {send.isSending && <UploadProgress sent={sent} onCancel={() => running.current?.abort()} />}
      </SendForm>
    </DropZone>
  )
}

const EMPTY_CELLS = [
  { value: 'clear', label: 'Clears' },
  { value: 'keep', label: 'Leaves alone' },
]

const isCancelled = (error: unknown) => error instanceof DOMException && error.name === 'AbortError'

function UploadProgress({ sent, onCancel }: { sent: number; onCancel: () => void }) {
  const percent = Math.floor(sent * 100)
  return (
    <Stack gap={6}>
      <Progress value={percent} aria-label="Upload progress" />
      <Group justify="space-between">
        <Text size="sm" role="status">
          {percent < 100 ? `Uploading: ${percent} %` : 'Uploaded. Reading the file…'}
        </Text>
        <Button size="compact-sm" variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </Group>
    </Stack>
  )
}

type DropProps = { onFile: (file: File) => void; isDisabled: boolean; children: React.ReactNode }

/** For the mouse. The file input does the same by keyboard. */
function DropZone({ onFile, isDisabled, children }: DropProps) {
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault() // otherwise the browser opens the file
    setOver(false)
    const [file] = event.dataTransfer.files
    if (file && !isDisabled) onFile(file)
  }
  return (
    <Paper
      withBorder
      p="md"
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      style={isOver ? { outline: '2px dashed var(--mantine-primary-color-filled)' } : undefined}
    >
      {children}
    </Paper>
  )
}
