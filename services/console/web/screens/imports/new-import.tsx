import { Button, FileInput, Group, Paper, Progress, SegmentedControl, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type DragEvent, useEffect, useRef, useState } from 'react'
import { SendForm } from '../../parts/send-form.tsx'
import { useSend } from '../../parts/use-send.ts'
import { ExpectedColumns } from './expected-columns.tsx'
import { problemOf, RESOURCES, type Resource } from './import-files.ts'
import { upload } from './upload.ts'

/** A file is chosen or dropped, and checked: nothing changes before the person has seen what would. */
export function NewImport() {
  const [resource, setResource] = useState<Resource>('assets')
  const [file, setFile] = useState<File | null>(null)
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
        signal: controller.signal,
        onProgress: setSent,
      })
    },
    { reload: [['imports', 'list']], onDone: ({ id }) => void navigate({ to: `/imports/${id}` }) },
  )
  useEffect(() => () => running.current?.abort(), [])
  const choose = (chosen: File | null) => {
    send.reset()
    setFile(chosen)
  }
  const problem = file ? problemOf(file) : undefined
  const failed = isCancelled(send.error) ? { ...send, error: undefined } : send
  return (
    <DropPlace onFile={choose} isDisabled={send.isSending}>
      <SendForm
        send={failed}
        label="Check the file"
        onSubmit={() => file && send.send(file)}
        isDisabled={file === null || problem !== undefined}
      >
        <Text size="sm" fw={500} id="resource-label">
          What the file lists
        </Text>
        <Group>
          <SegmentedControl
            data={[...RESOURCES]}
            value={resource}
            onChange={(value) => setResource(value === 'locations' ? 'locations' : 'assets')}
            disabled={send.isSending}
            aria-labelledby="resource-label"
          />
        </Group>
        <FileInput
          label="CSV file"
          description="Choose it, or drop it anywhere in this box. At most 64 MiB and 100 000 rows, in UTF-8."
          placeholder="Choose a file"
          accept=".csv,text/csv"
          value={file}
          onChange={choose}
          error={problem}
          disabled={send.isSending}
          clearable
          clearButtonProps={{ 'aria-label': 'Take the file away' }}
        />
        <ExpectedColumns resource={resource} />
        {send.isSending && <Sending sent={sent} onCancel={() => running.current?.abort()} />}
      </SendForm>
    </DropPlace>
  )
}

const isCancelled = (error: unknown) => error instanceof DOMException && error.name === 'AbortError'

function Sending({ sent, onCancel }: { sent: number; onCancel: () => void }) {
  const percent = Math.floor(sent * 100)
  return (
    <Stack gap={6}>
      <Progress value={percent} aria-label="How much of the file has been sent" />
      <Group justify="space-between">
        <Text size="sm" role="status">
          {percent < 100 ? `Sending the file: ${percent} %` : 'The file was sent and is being read …'}
        </Text>
        <Button size="compact-sm" variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </Group>
    </Stack>
  )
}

type DropProps = { onFile: (file: File) => void; isDisabled: boolean; children: React.ReactNode }

/** The input above it does the same by keyboard. */
function DropPlace({ onFile, isDisabled, children }: DropProps) {
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault() // or the browser would leave the console and show the file
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
