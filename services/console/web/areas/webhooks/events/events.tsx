import { Anchor, Button, Code, Modal, NativeSelect, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { Waiting } from '../../../parts/load/loaded.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { type Column, DataTable } from '../../../parts/table/data-table.tsx'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { When } from '../../../parts/time/when.tsx'
import { choicesOf, eventText, FEED_TYPES } from '../webhooks/event-types.ts'
import { type Entry, type FeedEvent, KEPT } from './event-log.ts'
import { EventSubject } from './event-subject.tsx'
import { useEventLog } from './use-event-log.ts'

/** All events of the organization as they are recorded. The API gives them forwards only, so earlier ones are not here. */
export default function Events() {
  const [{ type }, setUrl] = useUrlState({ type: '' })
  return (
    <Screen
      title="Events"
      lead={
        <>
          What happens from now on, newest first. This screen keeps the last {KEPT}. Programs read the events
          of the last 7 days:{' '}
          <Anchor href="/docs/events" underline="always" inherit>
            how to follow events
          </Anchor>
        </>
      }
    >
      <NativeSelect
        label="Event"
        maw={360}
        data={choicesOf(FEED_TYPES)}
        value={type}
        onChange={(event) => setUrl({ type: event.currentTarget.value })}
      />
      <Log key={type} type={type} />
    </Screen>
  )
}

function Log({ type }: { type: string }) {
  const { since, entries, error, retry } = useEventLog(type)
  const [opened, setOpened] = useState<FeedEvent>()
  const columns = useMemo(() => columnsWith(setOpened), [])
  return (
    <>
      {error !== undefined && <FailureNotice error={error} onRetry={retry} />}
      {since === null ? (
        error === undefined && <Waiting what="the events" />
      ) : (
        <>
          <Text size="sm" c="dimmed" role="status">
            Since <When at={since} as="clock" />
          </Text>
          {entries.length === 0 ? (
            <EmptyState title="No events yet">
              As soon as something moves or is changed, a reader goes silent or an import ends, it appears
              here.
            </EmptyState>
          ) : (
            <DataTable
              label="Events"
              columns={columns}
              rows={entries}
              rowKey={(entry) => (entry.kind === 'gap' ? entry.id : entry.event.id)}
              minWidth={640}
              isLive
            />
          )}
        </>
      )}
      <Modal opened={opened !== undefined} onClose={() => setOpened(undefined)} title="Event" size="lg">
        <Code block tabIndex={0} aria-label="Event as the API gives it">
          {JSON.stringify(opened, null, 2)}
        </Code>
      </Modal>
    </>
  )
}

const columnsWith = (open: (event: FeedEvent) => void): readonly Column<Entry>[] => [
  {
    label: 'Recorded',
    width: 110,
    cell: (entry) => <When at={entry.kind === 'gap' ? entry.at : entry.event.recorded_at} as="clock" />,
  },
  {
    label: 'Event',
    role: 'title',
    cell: (entry) =>
      entry.kind === 'gap' ? (
        <Text size="sm" fs="italic">
          Events are missing here: more happened than this screen reads.
        </Text>
      ) : (
        eventText(entry.event.type)
      ),
  },
  { label: 'About', cell: (entry) => entry.kind === 'event' && <EventSubject event={entry.event} /> },
  {
    label: 'Details',
    role: 'actions',
    cell: (entry) =>
      entry.kind === 'event' && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Open ${eventText(entry.event.type)} ${entry.event.id}`}
          onClick={() => open(entry.event)}
        >
          Open
        </Button>
      ),
  },
]
