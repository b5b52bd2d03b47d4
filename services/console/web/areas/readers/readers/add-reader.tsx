import { useNavigate } from '@tanstack/react-router'
import type { components } from '@whereabouts/client/client'
import { FormModal } from '../../../parts/form/form-modal.tsx'
import { ResourceForm } from '../../../parts/form/resource-form.tsx'
import { api } from '../../../session/api.ts'
import { LastProblem } from './problems/last-problem.tsx'
import { READER_FIELDS } from './reader-fields.ts'

type Props = {
  /** Key of a discovered reader; empty for a new one. */
  readerKey: string
  /** Of a discovered reader. */
  health?: components['schemas']['ReaderHealth'] | undefined
  onClose: () => void
}

/** Sets up a reader, then opens it to add scan points. */
export function AddReader({ readerKey, health, onClose }: Props) {
  const navigate = useNavigate()
  return (
    <FormModal opened onClose={onClose} title={readerKey === '' ? 'Add reader' : `Set up ${readerKey}`}>
      {health && <LastProblem health={health} withMessage />}
      <ResourceForm
        fields={READER_FIELDS}
        known={{ reader_key: readerKey, name: readerKey }}
        label={readerKey === '' ? 'Add reader' : 'Set up reader'}
        request={(body: components['schemas']['ReaderCreate']) => api.post('/api/v1/readers', { body })}
        reload={[['readers']]}
        onDone={(reader) => {
          onClose()
          if (reader) void navigate({ to: `/readers/${reader.id}` })
        }}
        onCancel={onClose}
      />
    </FormModal>
  )
}
