import { Group, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type components, unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { SendForm } from '../../parts/send-form.tsx'
import { useSend } from '../../parts/use-send.ts'
import { api } from '../../session/api.ts'
import { ReaderInputs, SHOWN_FIELDS } from './reader-fields.tsx'
import { fieldsOf, readMapping, toUpdate } from './reader-form-state.ts'

type Reader = components['schemas']['Reader']

/** Settings and removal of a reader. Administrators only. */
export function ReaderSettings({ reader, id }: { reader: Reader; id: number }) {
  const navigate = useNavigate()
  const [before, setBefore] = useState(() => fieldsOf(reader))
  const [fields, setFields] = useState(before)
  const params = { path: { reader_id: id } }
  const reading = readMapping(fields.mapping)
  const changes = 'mapping' in reading ? toUpdate(before, fields, reading.mapping) : undefined
  const send = useSend(
    async (body: NonNullable<typeof changes>) =>
      unwrap(await api.PATCH('/api/v1/readers/{reader_id}', { params, body })).data,
    {
      reload: [['readers'], ['reader', id]],
      onDone: (saved) => {
        setBefore(fieldsOf(saved))
        setFields(fieldsOf(saved))
      },
    },
  )
  const hasChanges = changes !== undefined && Object.keys(changes).length > 0
  return (
    <Card title="Settings">
      <SendForm
        send={send}
        label="Save"
        onSubmit={() => {
          if (changes) send.send(changes)
        }}
        shownFields={SHOWN_FIELDS}
        isDisabled={!hasChanges}
      >
        <ReaderInputs fields={fields} onChange={setFields} messages={send.fields} hasKey={false} />
        <Text size="sm" c="dimmed" role="status">
          {send.result && !hasChanges ? 'Saved. Applies from the next message.' : ''}
        </Text>
      </SendForm>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          After removal, its reads have no location.
        </Text>
        <ConfirmButton
          label="Remove reader"
          work={async () => unwrap(await api.DELETE('/api/v1/readers/{reader_id}', { params }))}
          reload={[['readers']]}
          onDone={() => void navigate({ to: '/readers' })}
        >
          {`This removes ${reader.name ?? reader.reader_key} and its scan points. The history stays. If the device keeps publishing, it is listed as discovered.`}
        </ConfirmButton>
      </Group>
    </Card>
  )
}
