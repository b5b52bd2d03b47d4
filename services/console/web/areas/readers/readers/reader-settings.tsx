import { Group, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { components } from '@whereabouts/client/client'
import { useState } from 'react'
import { Card } from '../../../parts/page/card.tsx'
import { ConfirmButton } from '../../../parts/form/confirm-button.tsx'
import { ResourceForm } from '../../../parts/form/resource-form.tsx'
import { api } from '../../../session/api.ts'
import { type Reader, READER_FIELDS } from './reader-fields.ts'

/** Settings and deletion of a reader. Administrators only. */
export function ReaderSettings({ reader, id }: { reader: Reader; id: number }) {
  const navigate = useNavigate()
  const [saved, setSaved] = useState({ reader, count: 0 })
  return (
    <Card title="Settings">
      <ResourceForm
        key={saved.count}
        fields={READER_FIELDS}
        resource={{ ...saved.reader, id }}
        label="Save"
        request={(body: components['schemas']['ReaderUpdate']) =>
          api.patch('/api/v1/readers/{reader_id}', { path: { reader_id: id }, body })
        }
        reload={[['readers'], ['reader', id]]}
        onDone={(changed) => changed && setSaved(({ count }) => ({ reader: changed, count: count + 1 }))}
      />
      <Text size="sm" c="dimmed" role="status">
        {saved.count > 0 ? 'Saved. Applies from the next message.' : ''}
      </Text>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Without the reader, its reads have no location.
        </Text>
        <ConfirmButton
          label="Delete reader"
          work={() => api.delete('/api/v1/readers/{reader_id}', { path: { reader_id: id } })}
          reload={[['readers']]}
          onDone={() => void navigate({ to: '/readers' })}
        >
          {`This deletes ${reader.name ?? reader.reader_key} and its scan points, which cannot be undone. From now on its reads have no location. History stays. If the device still sends, it is listed as discovered.`}
        </ConfirmButton>
      </Group>
    </Card>
  )
}
