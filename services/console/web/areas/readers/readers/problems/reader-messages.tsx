import { Button, Code, Stack, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { Card } from '../../../../parts/page/card.tsx'
import { type Column, DataTable } from '../../../../parts/table/data-table.tsx'
import { When } from '../../../../parts/time/when.tsx'
import { ProblemList } from './problem-list.tsx'
import type { Reader } from '../reader-fields.ts'
import { TryMessage } from './try-message-button.tsx'
import { isLost, type ReaderMessage, useReaderMessages } from './use-reader-messages.ts'

type Props = { id: number; reader: Reader }

/** Messages of a reader that were not understood, or only in part. Nothing while there is none. */
export function ReaderMessages({ id, reader }: Props) {
  const messages = useReaderMessages(id)
  const [tried, setTried] = useState<ReaderMessage>()
  const columns = useMemo(() => columnsOf(setTried), [])
  const rows = messages.data?.filter((message) => !isLost(message)) ?? [] // the page of the reader shows that apart
  if (rows.length === 0) return null
  return (
    <Card title="Messages with problems">
      <DataTable
        label="Last 20 messages with problems"
        columns={columns}
        rows={rows}
        rowKey={({ id: message }) => message}
        maxHeight={480}
        isLive
      />
      {tried && (
        <TryMessage
          id={id}
          reader={reader}
          first={firstOf(tried, reader)}
          onClose={() => setTried(undefined)}
        />
      )}
    </Card>
  )
}

/** The format of the topic, which decided how the message was read. */
function firstOf({ head, subject }: ReaderMessage, reader: Reader) {
  const [, , , format = reader.format ?? 'canonical', ...topic] = subject.split('.')
  return { message: head, format, topic: topic.join('/') }
}

const columnsOf = (onTry: (message: ReaderMessage) => void): readonly Column<ReaderMessage>[] => [
  {
    label: 'Received',
    role: 'title',
    width: 150,
    cell: ({ received_at, via }) => (
      <Stack gap={0}>
        <When at={received_at} />
        <Text size="xs" c="dimmed">{`over ${VIA[via] ?? via}`}</Text>
      </Stack>
    ),
  },
  { label: 'Problems', cell: ({ problems }) => <ProblemList problems={problems} /> },
  {
    label: 'Message',
    cell: ({ head }) => <Code style={{ overflowWrap: 'anywhere' }}>{shortened(head)}</Code>,
  },
  {
    label: 'Actions',
    role: 'actions',
    width: 90,
    cell: (message) => (
      <Button size="compact-sm" variant="default" onClick={() => onTry(message)}>
        Try it
      </Button>
    ),
  },
]

const VIA: Readonly<Record<string, string>> = { nats: 'NATS', mqtt: 'MQTT', https: 'HTTPS' }

const SHOWN = 160
const shortened = (text: string) => (text.length > SHOWN ? `${text.slice(0, SHOWN)} …` : text)
