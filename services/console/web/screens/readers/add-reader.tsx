import { useNavigate } from '@tanstack/react-router'
import { unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import { FormModal } from '../../parts/form-modal.tsx'
import { SendForm } from '../../parts/send-form.tsx'
import { useSend } from '../../parts/use-send.ts'
import { api } from '../../session/api.ts'
import { ReaderInputs, SHOWN_FIELDS } from './reader-fields.tsx'
import { newReaderFields, readMapping, toCreate } from './reader-form-state.ts'

type Props = {
  /** Key of a discovered reader; empty for a new one. */
  readerKey: string
  onClose: () => void
}

/** Configures a reader, then opens it to add scan points. */
export function AddReader({ readerKey, onClose }: Props) {
  const navigate = useNavigate()
  const [fields, setFields] = useState(() => newReaderFields(readerKey))
  const reading = readMapping(fields.mapping)
  const send = useSend(
    async (body: ReturnType<typeof toCreate>) => unwrap(await api.POST('/api/v1/readers', { body })).data,
    {
      reload: [['readers']],
      onDone: ({ id }) => {
        onClose()
        void navigate({ to: `/readers/${id}` })
      },
    },
  )
  return (
    <FormModal opened onClose={onClose} title={readerKey === '' ? 'Add reader' : `Configure ${readerKey}`}>
      <SendForm
        send={send}
        label={readerKey === '' ? 'Add reader' : 'Configure reader'}
        onSubmit={() => {
          if ('mapping' in reading) send.send(toCreate(fields, reading.mapping))
        }}
        onCancel={onClose}
        shownFields={SHOWN_FIELDS}
        isDisabled={'problem' in reading}
      >
        <ReaderInputs fields={fields} onChange={setFields} messages={send.fields} hasKey />
      </SendForm>
    </FormModal>
  )
}
