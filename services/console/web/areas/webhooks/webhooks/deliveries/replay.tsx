import { Alert, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { FormModal } from '../../../../parts/form/form-modal.tsx'
import { SendForm } from '../../../../parts/form/send-form.tsx'
import { useSend } from '../../../../parts/form/use-send.ts'
import { countText } from '../../../../parts/table/count-text.ts'
import { fromLocalInput, toLocalInput } from '../../../../parts/time/local-time.ts'
import { When } from '../../../../parts/time/when.tsx'
import { api } from '../../../../session/api.ts'
import { eventText, type FeedType } from '../event-types.ts'
import type { Webhook } from '../webhook-settings.ts'

const HOUR_MS = 3_600_000

/** Sends all events of a period again. */
export function Replay({ webhook }: { webhook: Webhook }) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button variant="default" size="compact-sm" disabled={!webhook.enabled} onClick={() => setOpen(true)}>
        {webhook.enabled ? 'Replay' : 'Replay (deliveries are off)'}
      </Button>
      <FormModal opened={isOpen} onClose={close} title="Replay events">
        <ReplayForm webhook={webhook} onClose={close} />
      </FormModal>
    </>
  )
}

function ReplayForm({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [from, setFrom] = useState(() => toLocalInput(new Date(Date.now() - HOUR_MS).toISOString()))
  const [to, setTo] = useState('')
  const [types, setTypes] = useState(webhook.event_types)
  const send = useSend(
    () => {
      const last = fromLocalInput(to)
      return api.post('/api/v1/webhook-endpoints/{webhook_id}/replay', {
        path: { webhook_id: webhook.id },
        body: {
          from: fromLocalInput(from) ?? '',
          ...(last !== null && { to: last }),
          event_types: types as FeedType[],
        },
      })
    },
    {
      check: () => ({
        from: fromLocalInput(from) === null ? 'Enter a date and time.' : undefined,
        event_types: types.length === 0 ? 'Choose an event.' : undefined,
      }),
      reload: [['webhooks', webhook.id]],
    },
  )
  if (send.result)
    return <Replayed result={send.result} isFiltered={webhook.filter !== null} onClose={onClose} />
  return (
    <SendForm send={send} label="Replay" onCancel={onClose} shownFields={['from', 'to', 'event_types']}>
      <Text size="sm">
        All events that were recorded in this time are sent again with their IDs, whether or not they arrived.
      </Text>
      <VerifyHint />
      <TextInput
        type="datetime-local"
        label="From"
        description="Events are kept for 7 days."
        {...send.entry('from', from, setFrom)}
        required
        data-autofocus
      />
      <TextInput
        type="datetime-local"
        label="To"
        description="Empty: until now"
        {...send.entry('to', to, setTo)}
      />
      <Checkbox.Group label="Events" value={types} onChange={setTypes} error={send.fields['event_types']}>
        <Stack gap="xs" mt={6}>
          {webhook.event_types.map((type) => (
            <Checkbox key={type} value={type} label={eventText(type)} />
          ))}
        </Stack>
      </Checkbox.Group>
    </SendForm>
  )
}

type ReplayedProps = {
  result: { count: number; oldest_occurred_at: string | null }
  isFiltered: boolean
  onClose: () => void
}

const Replayed = ({ result: { count, oldest_occurred_at: oldest }, isFiltered, onClose }: ReplayedProps) => (
  <Stack gap="sm">
    <Alert
      color={oldest === null ? 'yellow' : 'green'}
      role="status"
      title={
        oldest === null
          ? 'Nothing of these events was recorded in this time'
          : `${countText(count, 'events are', 'event is')} sent again`
      }
    >
      {oldest !== null && (
        <>
          The oldest happened <When at={oldest} as="day" />.
          {isFiltered && ' What does not pass the filter of the webhook is not sent.'}
        </>
      )}
    </Alert>
    {oldest !== null && <VerifyHint />}
    <Group justify="flex-end">
      <Button onClick={onClose}>Close</Button>
    </Group>
  </Stack>
)

/** Without it, a receiver that checks the age refuses everything that is repeated (D13.8). */
const VerifyHint = () => (
  <Text size="sm">
    Your receiver must verify <code>webhook-timestamp</code>, the time of the attempt.{' '}
    <code>X-Service-Timestamp</code> stays that of the event, so a check of its age refuses old events.
  </Text>
)
